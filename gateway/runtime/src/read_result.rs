//! The tool `read_result`: reads more of a result that the model got by head and tail, or whose turn a summary replaces.
//! Only the built-in runtime has it, because it reads the journal of the agent's own step. Pure code.

use serde::Deserialize;
use serde_json::{Value, json};

use super::transcript::Transcript;
use super::window::SHOWN_BYTES;
use roost_execution::providers::ToolSpec;

/// The name of the tool.
pub const NAME: &str = "read_result";
/// The number of bytes that it reads when the model names none.
const BYTES: usize = 8 << 10;
/// The maximum number of bytes that it reads. A result of this size is shown whole.
const MOST: usize = SHOWN_BYTES - 512;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    call: u32,
    #[serde(default)]
    offset: usize,
    #[serde(default)]
    limit: Option<usize>,
}

/// The tool as a model sees it.
pub fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description: "Reads a part of an earlier result of yours that was too large to be shown whole. The place that \
                      was left out names the call."
            .to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "call": { "type": "integer", "minimum": 0, "description": "The number of the call." },
                "offset": { "type": "integer", "minimum": 0, "description": "The first byte to read; 0 when absent." },
                "limit": { "type": "integer", "minimum": 1, "maximum": MOST, "description": "Most bytes to read; 8,192 when absent." },
            },
            "required": ["call"],
            "additionalProperties": false,
        }),
    }
}

/// Reads.
///
/// # Errors
/// What is wrong, for the model.
pub fn read(transcript: &Transcript, arguments: &Value) -> Result<String, String> {
    let wanted: Wanted = serde_json::from_value(arguments.clone())
        .map_err(|error| format!("the arguments of `{NAME}` are wrong: {error}"))?;
    let text = transcript
        .result(wanted.call)
        .ok_or_else(|| format!("You have no result with the number {}.", wanted.call))?;
    if wanted.offset >= text.len() {
        return Err(format!(
            "The result of call {} has {} bytes; read before its end.",
            wanted.call,
            text.len()
        ));
    }
    let from = text.floor_char_boundary(wanted.offset);
    let most = wanted.limit.unwrap_or(BYTES).clamp(4, MOST);
    let to = text.floor_char_boundary((from + most).min(text.len()));
    let rest = match text.len() - to {
        0 => "the result ends here".to_owned(),
        rest => format!("{rest} bytes follow; offset {to} reads on"),
    };
    Ok(format!(
        "{}\n[bytes {from} to {to} of {}; {rest}]",
        &text[from..to],
        text.len()
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roost_execution::providers::{Call, Stop};
    use roost_execution::runs::{Answer, Turn};

    use super::*;

    fn with_result(text: &str) -> Transcript {
        let mut transcript = Transcript::default();
        transcript.push_turn(Turn {
            text: String::new(),
            thought: None,
            calls: vec![Call {
                id: "1".to_owned(),
                name: "shell".to_owned(),
                arguments: json!({}),
                malformed: None,
                opaque: None,
            }],
            stop: Stop::Tools,
        });
        transcript.push_answer(Answer {
            call: "1".to_owned(),
            arguments: json!({}),
            text: text.to_owned(),
            is_error: false,
            exit_code: None,
            cut: false,
        });
        transcript
    }

    #[test]
    fn unknown_calls_and_offsets_behind_the_end_are_errors_for_the_model() {
        let transcript = with_result("abc");
        assert!(read(&transcript, &json!({ "call": 0 })).is_err());
        assert!(read(&transcript, &json!({ "call": 9 })).is_err());
        assert!(read(&transcript, &json!({ "call": 1, "offset": 3 })).is_err());
        assert!(read(&transcript, &json!({ "call": 1, "more": 3 })).is_err());
        let all = read(&transcript, &json!({ "call": 1 })).unwrap();
        assert_eq!(all, "abc\n[bytes 0 to 3 of 3; the result ends here]");
    }

    proptest! {
        /// A model that follows the offsets reads the whole text once.
        #[test]
        fn offsets_lead_through_the_whole_result(text in "\\PC{1,400}", limit in 4usize..64) {
            let transcript = with_result(&text);
            let (mut offset, mut whole) = (0, String::new());
            while offset < text.len() {
                let part = read(&transcript, &json!({ "call": 1, "offset": offset, "limit": limit })).unwrap();
                let (part, _) = part.rsplit_once("\n[bytes ").unwrap();
                prop_assert!(!part.is_empty() && part.len() <= limit);
                whole.push_str(part);
                offset += part.len();
            }
            prop_assert_eq!(whole, text);
        }
    }
}
