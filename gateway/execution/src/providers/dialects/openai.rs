//! The chat completions API of OpenAI, Ollama, llama.cpp, vLLM and many others.

use serde_json::{Value, json};
use url::Url;

use super::super::answer::broken;
use super::super::draft::{DeltaSink, Draft};
use super::super::error::ModelError;
use super::super::events::Event;
use super::super::request::{Call, Message, Request, Stop};
use super::{Outgoing, below_base, count, text};

/// The end of a stream.
const DONE: &str = "[DONE]";

pub(super) fn outgoing(base: &Url, request: &Request) -> Outgoing {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.extend(request.messages.iter().map(message));
    let mut body = json!({
        "model": request.model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    // OpenAI's own newer models refuse the old name. Most other servers know only the old name.
    let limit = match base.host_str() {
        Some("api.openai.com") => "max_completion_tokens",
        _ => "max_tokens",
    };
    body[limit] = json!(request.max_tokens);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            } })
        });
        body["tools"] = tools.collect();
    }
    Outgoing {
        url: below_base(base, &["chat/completions"]),
        headers: Vec::new(),
        body,
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls } => {
            let mut said = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                said["tool_calls"] = calls.iter().map(call).collect();
            }
            said
        }
        Message::Tool { call, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call, "content": text })
        }
    }
}

/// Invalid arguments go back as an empty object: some servers parse them, and the tool's result already describes the
/// error.
fn call(call: &Call) -> Value {
    json!({ "id": call.id, "type": "function", "function": {
        "name": call.name, "arguments": call.arguments.to_string(),
    } })
}

pub(super) fn read(
    event: &Event,
    draft: &mut Draft,
    heard: DeltaSink<'_>,
) -> Result<(), ModelError> {
    if event.data.trim() == DONE {
        return Ok(());
    }
    let data = super::json(event)?;
    if let Some(error) = data.get("error").filter(|error| !error.is_null()) {
        return Err(broken(error));
    }
    if let Some(usage) = data.get("usage").filter(|usage| usage.is_object()) {
        let usage_of = |pointer| count(usage, pointer).unwrap_or(0);
        draft.usage.input = usage_of("/prompt_tokens");
        draft.usage.output = usage_of("/completion_tokens");
        draft.usage.cached = usage_of("/prompt_tokens_details/cached_tokens");
    }
    // The request asks for one choice only.
    let Some(choice) = data.pointer("/choices/0") else {
        return Ok(());
    };
    for thought in ["/delta/reasoning_content", "/delta/reasoning"] {
        draft.think(text(choice, thought), heard)?;
    }
    draft.push_text(text(choice, "/delta/content"), heard)?;
    draft.push_text(text(choice, "/delta/refusal"), heard)?;
    let calls = choice
        .pointer("/delta/tool_calls")
        .and_then(Value::as_array);
    for (position, call) in calls.into_iter().flatten().enumerate() {
        // Some servers omit the number and send each call whole.
        let place = count(call, "/index").unwrap_or(draft.calls().max(position as u64));
        let function = |field| text(call, field);
        draft.call(
            place,
            function("/id"),
            function("/function/name"),
            function("/function/arguments"),
            heard,
        )?;
    }
    match text(choice, "/finish_reason") {
        "" => {}
        "length" => draft.stop = Some(Stop::Length),
        "content_filter" => draft.stop = Some(Stop::Filtered),
        "tool_calls" | "function_call" => draft.stop = Some(Stop::Tools),
        _ => draft.stop = Some(Stop::End),
    }
    Ok(())
}
