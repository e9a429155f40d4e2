//! Gemini's `streamGenerateContent`.

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
        "contents": contents(&request.messages),
        "generationConfig": { "maxOutputTokens": request.max_tokens },
    });
    if !request.system.is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": request.system }] });
    }
    if !request.tools.is_empty() {
        // `parameters` supports only a part of JSON Schema. This field supports all of it.
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema })
        });
        body["tools"] = json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]);
    }
    let model = format!("{}:streamGenerateContent", request.model);
    let mut url = below_base(base, &["models", &model]);
    url.set_query(Some("alt=sse"));
    Outgoing {
        url,
        headers: Vec::new(),
        body,
    }
}

/// Roles alternate. Tool results belong to the user's role.
fn contents(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, parts) = match message {
            Message::User(text) => ("user", vec![json!({ "text": text })]),
            Message::Assistant { text, calls } => {
                let mut parts = Vec::new();
                if !text.is_empty() {
                    parts.push(json!({ "text": text }));
                }
                parts.extend(calls.iter().map(|call| {
                    let mut part =
                        json!({ "functionCall": { "name": call.name, "args": call.arguments } });
                    if let Some(opaque) = &call.opaque {
                        part["thoughtSignature"] = json!(opaque);
                    }
                    part
                }));
                ("model", parts)
            }
            Message::Tool {
                name,
                text,
                is_error,
                ..
            } => {
                let field = if *is_error { "error" } else { "result" };
                let answer =
                    json!({ "functionResponse": { "name": name, "response": { field: text } } });
                ("user", vec![answer])
            }
        };
        if parts.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns
        .into_iter()
        .map(|(role, parts)| json!({ "role": role, "parts": parts }))
        .collect()
}

pub(super) fn read(
    event: &Event,
    draft: &mut Draft,
    heard: DeltaSink<'_>,
) -> Result<(), ModelError> {
    let data = super::json(event)?;
    if let Some(error) = data.get("error").filter(|error| !error.is_null()) {
        return Err(broken(error));
    }
    if let Some(usage) = data.get("usageMetadata") {
        let of = |field| count(usage, field).unwrap_or(0);
        draft.usage.input = of("/promptTokenCount");
        draft.usage.output = of("/candidatesTokenCount").saturating_add(of("/thoughtsTokenCount"));
        draft.usage.cached = of("/cachedContentTokenCount");
    }
    if !text(&data, "/promptFeedback/blockReason").is_empty() {
        draft.stop = Some(Stop::Filtered);
    }
    let Some(candidate) = data.pointer("/candidates/0") else {
        return Ok(());
    };
    let parts = candidate
        .pointer("/content/parts")
        .and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let said = text(part, "/text");
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            draft.think(said, heard)?;
        } else {
            draft.push_text(said, heard)?;
        }
        if let Some(call) = part.get("functionCall") {
            // Each call comes whole, without a number.
            let place = draft.calls();
            let arguments = call.get("args").map_or_else(String::new, Value::to_string);
            draft.call(
                place,
                text(call, "/id"),
                text(call, "/name"),
                &arguments,
                heard,
            )?;
            let signature = text(part, "/thoughtSignature");
            if !signature.is_empty() {
                draft.opaque(place, signature)?;
            }
        }
    }
    match text(candidate, "/finishReason") {
        "" => {}
        "STOP" => draft.stop = Some(Stop::End),
        "MAX_TOKENS" => draft.stop = Some(Stop::Length),
        // The model wrote an invalid tool call. The answer is its text.
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "OTHER" => {
            draft.stop = Some(Stop::End);
        }
        _ => draft.stop = Some(Stop::Filtered),
    }
    Ok(())
}
