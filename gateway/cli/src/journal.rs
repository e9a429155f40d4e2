//! The entries of a step's journal, for people.

use serde_json::Value;

use crate::api::Parsed;
use crate::api::types::RunCall;
use crate::show::Shown;

/// Prints one entry: its kind and name, then its texts.
pub(super) fn print(entry: &Parsed<RunCall>) {
    println!(
        "{} {} {}",
        entry.index,
        entry.kind.shown(),
        entry.name.shown()
    );
    let content = &entry.raw()["content"];
    for (label, text) in texts(content) {
        println!("  {label}:");
        for line in roost_protocol::text::visible_lines(&text).lines() {
            println!("    {line}");
        }
    }
}

/// The texts of an entry, in the order in which they came to be.
fn texts(content: &Value) -> Vec<(&'static str, String)> {
    let word = |field: &str| {
        content[field]
            .as_str()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let mut texts = vec![("thought", word("thought"))];
    if content["message"].is_object() {
        return vec![("said", word("text"))];
    }
    if let Some(arguments) = content.get("arguments") {
        texts.push(("asked", arguments.to_string()));
    }
    texts.push(("text", word("text")));
    for call in content["calls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        texts.push(("calls", format!("{name} {}", call["arguments"])));
    }
    texts.retain(|(_, text)| !text.is_empty());
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_come_before_words_and_words_before_calls() {
        let content = serde_json::json!({ "text": " I look. ", "thought": "Where is it?", "stop": "tools",
            "calls": [{ "id": "1", "name": "shell", "arguments": { "command": "ls" } }] });
        let expected = [
            ("thought", "Where is it?"),
            ("text", "I look."),
            ("calls", r#"shell {"command":"ls"}"#),
        ];
        let texts = texts(&content);
        let texts: Vec<_> = texts
            .iter()
            .map(|(label, text)| (*label, text.as_str()))
            .collect();
        assert_eq!(texts, expected);
    }
}
