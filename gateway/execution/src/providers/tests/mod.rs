//! Outgoing requests and incoming streams. tests/it/models covers the broker and the wire.

mod outgoing;
mod refusals;
mod streams;

use serde_json::json;

use super::draft::Draft;
use super::events::Events;
use super::*;

/// The result of a stream that arrives in pieces of these sizes.
fn read(
    provider: Provider,
    stream: &[u8],
    sizes: &[usize],
) -> Result<(Reply, Vec<Delta>), ModelError> {
    let (mut events, mut draft, mut heard) = (Events::default(), Draft::default(), Vec::new());
    let mut hear = |delta| heard.push(delta);
    let (mut rest, mut turn) = (stream, 0);
    while !rest.is_empty() {
        let size = sizes.get(turn % sizes.len().max(1)).copied();
        let (piece, left) = rest.split_at(size.unwrap_or(rest.len()).clamp(1, rest.len()));
        events.take(piece, |event| provider.read(&event, &mut draft, &mut hear))?;
        (rest, turn) = (left, turn + 1);
    }
    let reply = draft.finish(3)?;
    Ok((reply, heard))
}

/// A stream of events that have only data.
fn stream(data: &[serde_json::Value]) -> String {
    data.iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect()
}

/// A conversation with a tool.
fn conversation() -> Request {
    Request {
        model: "some-model".to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![
            Message::User("What is there?".to_owned()),
            Message::Assistant {
                text: String::new(),
                calls: vec![
                    Call {
                        id: "c1".to_owned(),
                        name: "list_files".to_owned(),
                        arguments: json!({ "path": "." }),
                        malformed: None,
                        opaque: Some("seal".to_owned()),
                    },
                    Call {
                        id: "c2".to_owned(),
                        name: "shell".to_owned(),
                        arguments: json!({}),
                        malformed: Some("{\"argv\": [".to_owned()),
                        opaque: None,
                    },
                ],
            },
            Message::Tool {
                call: "c1".to_owned(),
                name: "list_files".to_owned(),
                text: "src".to_owned(),
                is_error: false,
            },
            Message::Tool {
                call: "c2".to_owned(),
                name: "shell".to_owned(),
                text: "the arguments are no JSON".to_owned(),
                is_error: true,
            },
        ],
        tools: vec![ToolSpec {
            name: "list_files".to_owned(),
            description: "Lists files.".to_owned(),
            schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        }],
        max_tokens: 500,
        purpose: Purpose::Turn,
        slot: None,
        step: "run r, step coder".to_owned(),
    }
}
