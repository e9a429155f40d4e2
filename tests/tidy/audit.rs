//! Entries of the audit log: the page has a sentence for each action that the gateway writes.
use crate::arrows::is_gateway_source;
use crate::sources::is_test;
use crate::tree::{File, Tree};

const SENTENCES: &str = "gateway/ui/src/ui/audit-words.ts";
/// What writes an entry. The action is the first text of the statement that looks like one.
const CALLS: [&str; 3] = ["record(", "note_in_each(", "AboutAccount {"];

/// Actions that a person would read as they are named in the code.
pub fn actions_without_sentence(tree: &Tree) -> Vec<String> {
    let page = tree.files.iter().find(|file| file.path == SENTENCES);
    let sentences = page.map_or("", |file| file.text.as_str());
    tree.rust()
        .filter(|file| is_gateway_source(&file.path) && !is_test(file))
        // A span records fields, too.
        .filter(|file| !file.path.starts_with("gateway/platform/src/telemetry/"))
        .flat_map(|file| actions(file).map(move |action| (file, action)))
        .filter(|(_, action)| !sentences.contains(&format!("\"{action}\":")))
        .map(|(file, action)| {
            format!(
                "{}: `{action}` has no sentence; write one in {SENTENCES}",
                file.path
            )
        })
        .collect()
}

fn actions(file: &File) -> impl Iterator<Item = &str> {
    CALLS.iter().flat_map(|call| {
        file.text.match_indices(call).filter_map(|(at, _)| {
            let statement = file.text[at + call.len()..].split(';').next()?;
            statement
                .split('"')
                .skip(1)
                .step_by(2)
                .find(|text| is_action(text))
        })
    })
}

/// Whether it is `thing.done`.
fn is_action(text: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    text.split_once('.')
        .is_some_and(|(thing, done)| word(thing) && word(done))
}
