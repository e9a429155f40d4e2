//! Names: the fixed top level, words that tell nothing, features that are gone.
use crate::arrows::is_gateway_source;
use crate::tree::Tree;

const FOLDERS: [&str; 6] = [
    "gateway",
    "node-daemon",
    "protocol",
    "sandbox-driver",
    "migrations",
    "deploy",
];
const EMPTY_WORDS: [&str; 10] = [
    "utils", "util", "common", "helpers", "helper", "misc", "manager", "service", "impl", "v2",
];
const REMOVED: [&str; 3] = ["research_topic", "publish_approval", "loop"];

/// Folders beside the seven.
pub fn top_level(tree: &Tree) -> Vec<String> {
    let mut faults: Vec<String> = tree
        .files
        .iter()
        .filter_map(|file| file.path.split_once('/').map(|(folder, _)| folder))
        .filter(|folder| {
            !folder.starts_with('.') && *folder != "tests" && !FOLDERS.contains(folder)
        })
        .map(|folder| format!("{folder}/: the top level is fixed; find the room this belongs to"))
        .collect();
    faults.sort();
    faults.dedup();
    faults
}

/// Files and folders whose name says nothing.
pub fn empty_words(tree: &Tree) -> Vec<String> {
    let source =
        |path: &str| path.ends_with(".rs") || path.ends_with(".ts") || path.ends_with(".tsx");
    tree.files
        .iter()
        .filter(|file| source(&file.path))
        .filter(|file| {
            file.path
                .split('/')
                .any(|part| EMPTY_WORDS.contains(&part.split('.').next().unwrap_or(part)))
        })
        .map(|file| {
            format!(
                "{}: a name that tells nothing; use the noun it is about",
                file.path
            )
        })
        .collect()
}

/// Tables and routes of features that were removed from the service.
pub fn removed_features(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for file in tree
        .rust()
        .filter(|file| file.path.starts_with("migrations/") || is_gateway_source(&file.path))
    {
        for (number, line) in file.text.lines().enumerate() {
            for quoted in line.split('"').skip(1).step_by(2) {
                let table = file.path.starts_with("migrations/");
                let route = quoted.starts_with('/');
                let words: Vec<&str> = quoted
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .collect();
                let removed = REMOVED.iter().find(|gone| {
                    words
                        .iter()
                        .any(|word| word == *gone || word.strip_suffix('s') == Some(gone))
                });
                if let Some(gone) = removed.filter(|_| table || route) {
                    faults.push(format!(
                        "{}:{}: `{gone}` is a removed feature: {quoted}",
                        file.path,
                        number + 1
                    ));
                }
            }
        }
    }
    faults
}
