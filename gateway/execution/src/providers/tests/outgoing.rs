//! The request to each provider for the same conversation.

use serde_json::{Value, json};
use url::Url;

use super::super::*;
use super::conversation;

fn sent(provider: Provider, base: &str) -> (String, Vec<(String, String)>, Value) {
    let base: Url = base.parse().unwrap();
    let outgoing = provider.outgoing(&base, &conversation());
    (outgoing.url.into(), outgoing.headers, outgoing.body)
}

#[test]
fn openai_is_sent_what_it_takes() {
    let (url, headers, body) = sent(Provider::Openai, "https://models.example/v1/");
    assert_eq!(url, "https://models.example/v1/chat/completions");
    assert!(headers.is_empty());
    assert_eq!(body["stream"], true);
    assert_eq!(body["max_tokens"], 500);
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "What is there?" },
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "list_files", "arguments": "{\"path\":\".\"}" } },
                { "id": "c2", "type": "function", "function": { "name": "shell", "arguments": "{}" } },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "src" },
            { "role": "tool", "tool_call_id": "c2", "content": "the arguments are no JSON" },
        ])
    );
    assert_eq!(body["tools"][0]["function"]["name"], "list_files");
}

#[test]
fn openai_gets_the_limit_under_its_new_name() {
    let (_, _, body) = sent(Provider::Openai, Provider::Openai.default_base());
    assert_eq!(body["max_completion_tokens"], 500);
    assert_eq!(body.get("max_tokens"), None);
}

#[test]
fn anthropic_is_sent_what_it_takes() {
    let (url, headers, body) = sent(Provider::Anthropic, Provider::Anthropic.default_base());
    assert_eq!(url, "https://api.anthropic.com/v1/messages");
    let version = ("anthropic-version".to_owned(), "2023-06-01".to_owned());
    assert_eq!(headers, [version]);
    assert_eq!(body["system"], "Be brief.");
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "What is there?" }] },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "c1", "name": "list_files", "input": { "path": "." } },
                { "type": "tool_use", "id": "c2", "name": "shell", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "content": "src", "is_error": false },
                { "type": "tool_result", "tool_use_id": "c2", "content": "the arguments are no JSON", "is_error": true },
            ] },
        ])
    );
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
}

#[test]
fn gemini_is_sent_what_it_takes() {
    let (url, _, body) = sent(Provider::Gemini, Provider::Gemini.default_base());
    assert_eq!(
        url,
        "https://generativelanguage.googleapis.com/v1beta/models/some-model:streamGenerateContent?alt=sse"
    );
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "Be brief.");
    assert_eq!(
        body["contents"],
        json!([
            { "role": "user", "parts": [{ "text": "What is there?" }] },
            { "role": "model", "parts": [
                { "functionCall": { "name": "list_files", "args": { "path": "." } }, "thoughtSignature": "seal" },
                { "functionCall": { "name": "shell", "args": {} } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "list_files", "response": { "result": "src" } } },
                { "functionResponse": { "name": "shell", "response": { "error": "the arguments are no JSON" } } },
            ] },
        ])
    );
}

#[test]
fn a_key_goes_nowhere_but_below_its_base() {
    for provider in Provider::ALL {
        let base: Url = provider.default_base().parse().unwrap();
        let allowed = provider.allow(&base);
        let url = provider.outgoing(&base, &conversation()).url;
        assert_eq!(allowed.len(), 1);
        assert_eq!(allowed[0].methods, ["POST"]);
        assert_eq!(allowed[0].origin, base.origin().ascii_serialization());
        let below = url.path().strip_prefix(&allowed[0].path_prefix);
        assert!(
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            "{url}"
        );
        assert_eq!(Provider::from_stored(provider.as_str()), Some(provider));
    }
}

#[test]
fn a_name_of_a_model_stays_below_the_base() {
    let base: Url = Provider::Gemini.default_base().parse().unwrap();
    let mut request = conversation();
    request.model = "../../admin?x=y#z".to_owned();
    let url = Provider::Gemini.outgoing(&base, &request).url;
    // `..` stays a text segment, and the broker's own check refuses it. No part of it becomes a query.
    assert_eq!(url.query(), Some("alt=sse"));
    assert_eq!(url.fragment(), None);
    assert_eq!(url.host_str(), base.host_str());
}

#[test]
fn checkpointed_state_is_read_back() {
    let messages = conversation().messages;
    let stored = serde_json::to_string(&messages).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Message>>(&stored).unwrap(),
        messages
    );
    let without: Call = serde_json::from_str(r#"{"id":"a","name":"b","arguments":{}}"#).unwrap();
    assert_eq!(without.malformed, None);
}
