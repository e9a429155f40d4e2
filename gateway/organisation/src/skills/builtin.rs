//! The skills that come with Roost: Markdown files with a TOML head, embedded in the program. The tests check them
//! with `rubric.rs`.

use std::sync::OnceLock;

use rust_embed::RustEmbed;
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "src/skills/builtin"]
struct Files;

/// The head of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub tags: Vec<String>,
    /// Every role has it.
    #[serde(default)]
    pub foundation: bool,
}

/// A built-in skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub head: Head,
    pub body: String,
}

/// All of them, sorted by name.
///
/// # Panics
/// When a file is invalid. A test detects that before a release.
pub fn all() -> &'static [Text] {
    static ALL: OnceLock<Vec<Text>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Text> = Files::iter()
            .map(|file| {
                let content = Files::get(&file).expect("a listed file is there");
                let text = std::str::from_utf8(&content.data).expect("texts are UTF-8");
                parse(text).unwrap_or_else(|error| panic!("{file}: {error}"))
            })
            .collect();
        all.sort_by(|a, b| a.head.name.cmp(&b.head.name));
        all
    })
}

/// Parses a file.
fn parse(file: &str) -> Result<Text, String> {
    let rest = file
        .strip_prefix("+++\n")
        .ok_or("it does not begin with a line `+++`")?;
    let (head, body) = rest
        .split_once("\n+++\n")
        .ok_or("its head does not end with a line `+++`")?;
    let head = toml::from_str(head).map_err(|error| error.to_string())?;
    Ok(Text {
        head,
        body: body.trim().to_owned() + "\n",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{model, rubric};
    use super::*;

    #[test]
    fn a_file_is_a_head_and_a_body_and_nothing_else_is_taken() {
        let file = "+++\nname = \"a\"\ntitle = \"A\"\nwhen_to_use = \"x\"\ntags = [\"t\"]\n+++\n\n# Hi\n+++\n";
        let text = parse(file).expect("it parses");
        assert_eq!(text.body, "# Hi\n+++\n");
        assert!(!text.head.foundation);
        for bad in [
            "# Hi",
            "+++\nname = \"a\"\n",
            "+++\nname = \"a\"\n+++\n# Hi",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&file.replace("tags", "labels")).is_err());
    }

    #[test]
    fn there_are_at_least_forty_and_each_is_called_as_its_file() {
        let all = all();
        assert!(all.len() >= 40, "there are {}", all.len());
        let files: BTreeSet<String> = Files::iter().map(|file| file.to_string()).collect();
        for text in all {
            let head = &text.head;
            let (when, name) = (&head.when_to_use, &head.name);
            assert!(
                files.contains(&format!("{name}.md")),
                "{name} is in a file of another name"
            );
            assert!(model::is_slug(name, model::NAME), "{name}");
            assert!((1..=120).contains(&head.title.chars().count()), "{name}");
            assert!((20..=160).contains(&when.chars().count()), "{name}: {when}");
            assert!((1..=4).contains(&head.tags.len()), "{name}");
            assert!(
                head.tags.iter().all(|tag| model::is_slug(tag, 40)),
                "{name}"
            );
            assert_eq!(
                model::clean_body(&text.body),
                text.body,
                "{name} hides something"
            );
        }
        let foundation: Vec<&str> = all
            .iter()
            .filter(|text| text.head.foundation)
            .map(|text| text.head.name.as_str())
            .collect();
        assert_eq!(foundation, ["handing-over-work", "stating-uncertainty"]);
    }

    #[test]
    fn each_keeps_to_the_rubric() {
        let faults: Vec<String> = all()
            .iter()
            .flat_map(|text| rubric::faults(&text.head.name, &text.body))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
    }
}
