//! What the scripted model writes as the narrative of a phase: what the facts in the question say already. It adds nothing.

use serde::Deserialize;

/// Before the JSON in the question.
const FACTS: &str = "FACTS (JSON):";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Facts {
    what_happened: String,
    next_actions: Vec<String>,
}

/// The answer.
pub(super) fn answer(prompt: &str) -> String {
    let facts = prompt.split_once(FACTS).map(|(_, json)| json.trim());
    let facts: Facts = facts
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default();
    if facts.what_happened.is_empty() {
        return "The script found no facts in the question.".to_owned();
    }
    match facts.next_actions.first() {
        Some(next) => format!("{} What is open first: {next}", facts.what_happened),
        None => format!("{} Nothing is open.", facts.what_happened),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_repeats_the_facts_and_what_is_open() {
        let asked = r#"FACTS (JSON):
            {"what_happened": "The phase failed.", "next_actions": ["Retry the phase."], "more": 1}"#;
        assert_eq!(
            answer(asked),
            "The phase failed. What is open first: Retry the phase."
        );
        assert_eq!(
            answer("hello"),
            "The script found no facts in the question."
        );
    }
}
