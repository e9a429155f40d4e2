//! Words that make a sentence hard to read for a person who learned English at school.
use crate::tree::{File, Tree};

/// The words in pieces, so that this file does not contain them. Each has its remedy.
const BANNED: [(&[&str], &str); 7] = [
    (&["who", "ever"], "name the person or the program"),
    (&["whom", "ever"], "name the person or the program"),
    (&["sha", "ll"], "use the present tense or `must`"),
    (&["what", "ever comes"], "name what arrives"),
    (&["b", "y lot"], "write `at random`"),
    (&["that is n", "one"], "write `invalid` or `is not a …`"),
    (&["which is n", "one"], "write `invalid` or `is not a …`"),
];

/// Folders with texts for agents. They are the product, and a released version of such a text never changes.
const PRODUCT: [&str; 2] = [
    "gateway/organisation/src/skills/builtin/",
    "gateway/organisation/src/templates/builtin/",
];

const SOURCES: [&str; 8] = [
    ".rs",
    ".ts",
    ".tsx",
    ".mjs",
    ".md",
    ".sh",
    ".css",
    "openapi.json",
];

/// Lines with one of the words, in sentences and in names.
pub fn unclear_words(tree: &Tree) -> Vec<String> {
    let banned = BANNED.map(|(pieces, remedy)| (format!(" {} ", pieces.concat()), remedy));
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| is_checked(file)) {
        for (number, line) in file.text.lines().enumerate() {
            let line = words_of(line);
            for (word, remedy) in &banned {
                if line.contains(word) {
                    let place = number + 1;
                    faults.push(format!(
                        "{}:{place}: `{}`: {remedy}",
                        file.path,
                        word.trim()
                    ));
                }
            }
        }
    }
    faults
}

fn is_checked(file: &File) -> bool {
    SOURCES.iter().any(|end| file.path.ends_with(end))
        && !PRODUCT.iter().any(|folder| file.path.starts_with(folder))
}

/// The words of a line in lower case, with one space before and after each. `_` separates words, as in a test's name.
fn words_of(line: &str) -> String {
    let mut words = String::from(" ");
    for word in line.split(|letter: char| !letter.is_alphanumeric()) {
        if !word.is_empty() {
            words.push_str(&word.to_lowercase());
            words.push(' ');
        }
    }
    words
}
