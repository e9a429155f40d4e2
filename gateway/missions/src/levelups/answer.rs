//! Reads the model's answer: finds the JSON in its text, checks its form, and gives it types. Pure code.

use serde::Deserialize;
use serde_json::Value;

use super::model::{Kind, RosterAction};
use super::schema::{self, Fault};
use roost_execution::providers::{Reply, Stop};
use roost_execution::tools::Bundle;

/// The maximum size of an answer, in bytes.
pub const MOST_BYTES: usize = 512 << 10;
/// The maximum number of faults that are reported.
pub const MOST_FAULTS: usize = 12;

/// A passage that the model quotes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Quote {
    pub source: String,
    pub excerpt: String,
}

/// An item as the model wrote it. Its form is that of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Proposed {
    pub kind: Kind,
    pub agent_id: Option<String>,
    pub summary: String,
    pub rationale: String,
    pub evidence: Vec<Quote>,
    pub system_prompt: Option<String>,
    pub skill: Option<String>,
    pub name: Option<String>,
    pub title: Option<String>,
    pub when_to_use: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    pub body: Option<String>,
    pub brain: Option<String>,
    pub action: Option<RosterAction>,
    pub slot: Option<String>,
    pub detail: Option<String>,
    #[serde(default)]
    pub add: Vec<Bundle>,
    #[serde(default)]
    pub remove: Vec<Bundle>,
}

/// The whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    pub summary: String,
    pub items: Vec<Proposed>,
}

/// Reads a reply.
///
/// # Errors
/// The mistakes of its form.
pub fn read(reply: &Reply) -> Result<Answer, Vec<Fault>> {
    let whole = |detail: String| {
        vec![Fault {
            pointer: String::new(),
            detail,
        }]
    };
    match reply.stop {
        Stop::Filtered => {
            return Err(whole("the model's provider withheld the answer".to_owned()));
        }
        Stop::Length => {
            return Err(whole(
                "the answer was cut off at the maximum number of tokens; answer with fewer or shorter items".to_owned(),
            ));
        }
        Stop::End | Stop::Tools => {}
    }
    if reply.text.len() > MOST_BYTES {
        return Err(whole(format!(
            "the answer has {} bytes, and {MOST_BYTES} are the maximum",
            reply.text.len()
        )));
    }
    let value = object_in(&reply.text)
        .map_err(|why| whole(format!("the answer is not a JSON object: {why}")))?;
    let faults = schema::faults(&value, MOST_FAULTS);
    if !faults.is_empty() {
        return Err(faults);
    }
    // The schema allows nothing else, so this reports a difference between the schema and the types.
    serde_json::from_value(value).map_err(|error| whole(error.to_string()))
}

/// The JSON object in a text: the whole text, or from the first brace to the last one. Models put words or a code fence
/// around it.
fn object_in(text: &str) -> Result<Value, serde_json::Error> {
    let parsed = serde_json::from_str(text.trim());
    let (Err(_), Some(begin), Some(end)) = (&parsed, text.find('{'), text.rfind('}')) else {
        return parsed;
    };
    match text.get(begin..=end) {
        Some(inner) => serde_json::from_str(inner),
        None => parsed,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roost_execution::providers::Usage;

    use super::*;

    fn reply(text: &str, stop: Stop) -> Reply {
        Reply {
            text: text.to_owned(),
            calls: Vec::new(),
            usage: Usage::default(),
            cost_microusd: None,
            stop,
        }
    }

    const RIGHT: &str = r#"{ "summary": "ok", "items": [] }"#;

    #[test]
    fn words_and_fences_around_the_object_are_ignored() {
        for text in [
            RIGHT.to_owned(),
            format!("Here it is:\n```json\n{RIGHT}\n```\nThat is all."),
            format!("[demonstration: a script speaks here, no model]\n{RIGHT}"),
        ] {
            assert_eq!(read(&reply(&text, Stop::End)).unwrap().summary, "ok");
        }
    }

    #[test]
    fn what_is_no_answer_says_why() {
        for (text, stop, word) in [
            ("", Stop::End, "not a JSON object"),
            ("} nothing {", Stop::End, "not a JSON object"),
            ("I'd rather not.", Stop::End, "not a JSON object"),
            ("[1, 2]", Stop::End, "object"),
            (RIGHT, Stop::Length, "cut off"),
            (RIGHT, Stop::Filtered, "withheld"),
        ] {
            let faults = read(&reply(text, stop)).unwrap_err();
            assert!(faults[0].detail.contains(word), "{text}: {faults:?}");
        }
    }

    #[test]
    fn a_huge_or_deep_answer_is_refused_without_reading_it() {
        let huge = format!(
            r#"{{ "summary": "{}", "items": [] }}"#,
            "x".repeat(10 << 20)
        );
        assert!(
            read(&reply(&huge, Stop::End)).unwrap_err()[0]
                .detail
                .contains("maximum")
        );
        let deep = format!("{{\"summary\":{}", "[".repeat(200_000));
        assert!(read(&reply(&deep, Stop::End)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_an_answer_or_has_faults(text in "\\PC{0,300}") {
            if let Err(faults) = read(&reply(&text, Stop::End)) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
