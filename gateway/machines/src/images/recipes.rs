//! The recipes that come with Roost, read from the same files that build the images. Pure.

/// One recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recipe {
    pub(super) name: &'static str,
    pub(super) purpose: String,
    pub(super) tools: Vec<String>,
}

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../deploy/agent-image/recipes/",
                $name
            )),
        )
    };
}

const FILES: [(&str, &str); 7] = [
    file!("base"),
    file!("rust"),
    file!("node"),
    file!("python"),
    file!("polyglot"),
    file!("security"),
    file!("runtime"),
];

/// All of them, `base` first.
pub(super) fn all() -> Vec<Recipe> {
    FILES
        .iter()
        .map(|(name, text)| Recipe {
            name,
            purpose: said(text, "purpose").unwrap_or_default().to_owned(),
            tools: tools(text),
        })
        .collect()
}

/// Its own tools and those of the recipes below, sorted.
fn tools(text: &str) -> Vec<String> {
    let mut tools: Vec<String> = said(text, "tools")
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let below = said(text, "from").and_then(|from| FILES.iter().find(|(name, _)| *name == from));
    if let Some((_, below)) = below {
        tools.extend(self::tools(below));
    }
    tools.sort();
    tools.dedup();
    tools
}

fn said<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_file_is_listed_with_a_purpose_and_the_tools_of_those_below() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../deploy/agent-image/recipes"
        );
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let all = all();
        let mut names: Vec<&str> = all.iter().map(|recipe| recipe.name).collect();
        names.sort_unstable();
        assert_eq!(files, names);
        for recipe in &all {
            assert!(!recipe.purpose.is_empty(), "{}", recipe.name);
            assert!(recipe.tools.contains(&"git".to_owned()), "{}", recipe.name);
        }
        let polyglot = all.iter().find(|recipe| recipe.name == "polyglot").unwrap();
        for tool in [
            "cargo", "clippy", "node", "pytest", "go", "java", "postgres",
        ] {
            assert!(polyglot.tools.contains(&tool.to_owned()), "{tool}");
        }
    }
}
