//! Anthropic's messages API.

use serde_json::{Value, json};
use url::Url;

use super::super::answer::broken;
use super::super::draft::{DeltaSink, Draft};
use super::super::error::ModelError;
use super::super::events::Event;
use super::super::request::{Message, Request, Stop};
use super::{Outgoing, below_base, count, text};

pub(super) fn outgoing(base: &Url, request: &Request) -> Outgoing {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": messages(&request.messages),
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
        });
        body["tools"] = tools.collect();
    }
    Outgoing {
        url: below_base(base, &["messages"]),
        headers: vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())],
        body,
    }
}

/// Roles must alternate, and all results of one turn's calls must be in one message.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User(text) => ("user", said(text)),
            Message::Assistant { text, calls } => {
                let mut blocks = said(text);
                blocks.extend(calls.iter().map(|call| {
                    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
                }));
                ("assistant", blocks)
            }
            Message::Tool {
                call,
                text,
                is_error,
                ..
            } => {
                let result = json!({ "type": "tool_result", "tool_use_id": call, "content": text, "is_error": is_error });
                ("user", vec![result])
            }
        };
        if blocks.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns
        .into_iter()
        .map(|(role, content)| json!({ "role": role, "content": content }))
        .collect()
}

/// A text block. The API refuses an empty one.
fn said(text: &str) -> Vec<Value> {
    if text.trim().is_empty() {
        Vec::new()
    } else {
        vec![json!({ "type": "text", "text": text })]
    }
}

pub(super) fn read(
    event: &Event,
    draft: &mut Draft,
    heard: DeltaSink<'_>,
) -> Result<(), ModelError> {
    let data = super::json(event)?;
    let place = count(&data, "/index").unwrap_or(0);
    match text(&data, "/type") {
        "error" => return Err(broken(data.get("error").unwrap_or(&data))),
        "message_start" => {
            let of = |field: &str| count(&data, &format!("/message/usage/{field}")).unwrap_or(0);
            let cached = of("cache_read_input_tokens");
            draft.usage.cached = cached;
            draft.usage.input = of("input_tokens")
                .saturating_add(of("cache_creation_input_tokens"))
                .saturating_add(cached);
            draft.usage.output = of("output_tokens");
        }
        "content_block_start" => match text(&data, "/content_block/type") {
            "tool_use" => draft.call(
                place,
                text(&data, "/content_block/id"),
                text(&data, "/content_block/name"),
                "",
                heard,
            )?,
            "text" => draft.push_text(text(&data, "/content_block/text"), heard)?,
            _ => {}
        },
        "content_block_delta" => {
            draft.push_text(text(&data, "/delta/text"), heard)?;
            draft.think(text(&data, "/delta/thinking"), heard)?;
            let arguments = text(&data, "/delta/partial_json");
            if !arguments.is_empty() {
                draft.call(place, "", "", arguments, heard)?;
            }
        }
        "message_delta" => {
            if let Some(output) = count(&data, "/usage/output_tokens") {
                draft.usage.output = output;
            }
            match text(&data, "/delta/stop_reason") {
                "" => {}
                "max_tokens" | "model_context_window_exceeded" => draft.stop = Some(Stop::Length),
                "refusal" => draft.stop = Some(Stop::Filtered),
                "tool_use" => draft.stop = Some(Stop::Tools),
                _ => draft.stop = Some(Stop::End),
            }
        }
        // Pings, ends of blocks, and event types that are not known yet.
        _ => {}
    }
    Ok(())
}
