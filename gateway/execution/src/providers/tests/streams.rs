//! Streams of each provider: whole, in pieces, broken and hostile.

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::super::draft::{MAX_CALLS, MAX_TEXT};
use super::super::*;
use super::{read, stream};

/// The same answer as each provider streams it: a thought, a word, a call, its usage.
fn transcript(provider: Provider) -> String {
    match provider {
        Provider::Openai | Provider::Ollama => {
            let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
            let call = |call: Value| delta(json!({ "tool_calls": [call] }));
            ": a comment\r\n\r\n".to_owned()
                + &stream(&[
                    delta(json!({ "role": "assistant", "content": "" })),
                    delta(json!({ "reasoning_content": "Hm." })),
                    delta(json!({ "content": "Grü" })),
                    delta(json!({ "content": "ße" })),
                    call(
                        json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "shell", "arguments": "" } }),
                    ),
                    call(json!({ "index": 0, "function": { "arguments": "{\"argv\":" } })),
                    call(json!({ "index": 0, "function": { "arguments": "[\"ls\"]}" } })),
                    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
                    json!({ "choices": [], "usage": { "prompt_tokens": 20, "completion_tokens": 9,
                        "prompt_tokens_details": { "cached_tokens": 5 } } }),
                ])
                + "data: [DONE]\n\n"
        }
        Provider::Anthropic => {
            let events = [
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10, "output_tokens": 1,
                    "cache_read_input_tokens": 5, "cache_creation_input_tokens": 5 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
                json!({ "type": "ping" }),
                json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "Grü" } }),
                json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "ße" } }),
                json!({ "type": "content_block_stop", "index": 1 }),
                json!({ "type": "content_block_start", "index": 2, "content_block": { "type": "tool_use", "id": "c1", "name": "shell", "input": {} } }),
                json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "{\"argv\":" } }),
                json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "[\"ls\"]}" } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }),
                json!({ "type": "message_stop" }),
            ];
            let named = |data: &Value| {
                format!(
                    "event: {}\ndata: {data}\n\n",
                    data["type"].as_str().unwrap()
                )
            };
            events.iter().map(named).collect()
        }
        Provider::Gemini => {
            let parts = |parts: Value| json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] });
            stream(&[
                parts(json!([{ "text": "Hm.", "thought": true }])),
                parts(json!([{ "text": "Grü" }])),
                parts(json!([{ "text": "ße" }])),
                parts(
                    json!([{ "functionCall": { "id": "c1", "name": "shell", "args": { "argv": ["ls"] } }, "thoughtSignature": "seal" }]),
                ),
                json!({ "candidates": [{ "content": { "parts": [{ "text": "" }] }, "finishReason": "STOP" }],
                    "usageMetadata": { "promptTokenCount": 20, "candidatesTokenCount": 6, "thoughtsTokenCount": 3, "cachedContentTokenCount": 5 } }),
            ])
        }
    }
}

#[rstest]
#[case(Provider::Openai)]
#[case(Provider::Anthropic)]
#[case(Provider::Gemini)]
fn a_stream_is_read(#[case] provider: Provider) {
    let (reply, heard) = read(provider, transcript(provider).as_bytes(), &[]).unwrap();
    assert_eq!(reply.text, "Grüße");
    assert_eq!(reply.calls.len(), 1);
    let call = &reply.calls[0];
    assert_eq!((call.id.as_str(), call.name.as_str()), ("c1", "shell"));
    assert_eq!(call.arguments, json!({ "argv": ["ls"] }));
    assert_eq!(call.opaque.is_some(), provider == Provider::Gemini);
    let usage = Usage {
        input: 20,
        output: 9,
        cached: 5,
    };
    assert_eq!((reply.usage, reply.stop), (usage, Stop::Tools));
    assert_eq!(heard[0], Delta::Think("Hm.".to_owned()));
    assert_eq!(heard[1], Delta::Say("Grü".to_owned()));
    assert_eq!(heard[3], Delta::Tool("shell ".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_make_no_difference(which in 0..3usize, sizes in prop::collection::vec(1..40usize, 1..8), ends in 0..3usize) {
        let provider = Provider::ALL[which];
        let text = transcript(provider);
        let ended = text.replace('\n', ["\n", "\r\n", "\r"][ends]);
        let pieces = read(provider, ended.replace("\r\r\n", "\r\n").as_bytes(), &sizes).unwrap();
        prop_assert_eq!(pieces, read(provider, text.as_bytes(), &[]).unwrap());
    }

    #[test]
    fn garbage_is_an_error_and_no_panic(which in 0..4usize, bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(Provider::ALL[which], &bytes, &[7]).is_err());
    }

    #[test]
    fn any_json_is_taken_or_refused(which in 0..4usize, cut in 0..2_000usize, from in 0..4usize) {
        // One provider's stream in another's parser, cut at any place.
        let text = transcript(Provider::ALL[from]);
        let _ = read(Provider::ALL[which], &text.as_bytes()[..cut.min(text.len())], &[]);
    }
}

#[rstest]
#[case(Provider::Openai)]
#[case(Provider::Anthropic)]
#[case(Provider::Gemini)]
fn truncated_stream_is_an_error(#[case] provider: Provider) {
    let text = transcript(provider);
    for part in [0, 1, 2, 3] {
        let cut = text.len() * part / 5;
        let error = read(provider, &text.as_bytes()[..cut], &[]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Retryable, "cut at {cut}: {error}");
    }
}

/// One choice in OpenAI's format, then its end.
fn openai(delta: Value, finish: &str) -> String {
    stream(&[
        json!({ "choices": [{ "delta": delta }] }),
        json!({ "choices": [{ "delta": {}, "finish_reason": finish }] }),
    ])
}

fn arguments(arguments: &str) -> Value {
    json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "shell", "arguments": arguments } }] })
}

#[rstest]
#[case("{\"argv\": [", Some("{\"argv\": ["))]
#[case("[1]", Some("[1]"))]
#[case("\"text\"", Some("\"text\""))]
#[case("", None)]
#[case("  ", None)]
fn half_a_tool_call_is_kept_as_it_was_written(#[case] written: &str, #[case] kept: Option<&str>) {
    let text = openai(arguments(written), "length");
    let (reply, _) = read(Provider::Openai, text.as_bytes(), &[]).unwrap();
    assert_eq!(reply.calls[0].malformed.as_deref(), kept);
    assert_eq!(reply.calls[0].arguments, json!({}));
    assert_eq!(reply.stop, Stop::Length);
}

#[test]
fn calls_without_ids_or_with_the_same_get_ids_of_their_own() {
    let call = |index: u64, id: &str| json!({ "index": index, "id": id, "function": { "name": "shell", "arguments": "{}" } });
    let delta = json!({ "tool_calls": [call(0, ""), call(4_000_000_000, "a"), call(7, "a"), call(7, "b")] });
    let text = openai(delta, "stop");
    let (reply, _) = read(Provider::Openai, text.as_bytes(), &[]).unwrap();
    let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{:?}", reply.calls);
    assert_eq!(
        reply.stop,
        Stop::Tools,
        "it waits for tools whatever it calls that"
    );
}

#[test]
fn more_than_can_be_taken_is_cut_off() {
    let calls: Vec<Value> = (0..=MAX_CALLS)
        .map(|n| json!({ "index": n, "id": format!("c{n}"), "function": { "name": "x", "arguments": "{}" } }))
        .collect();
    let text = json!({ "content": "x".repeat(1 << 16) });
    let many: String = (0..=MAX_TEXT >> 16)
        .map(|_| openai(text.clone(), ""))
        .collect();
    for stream in [
        openai(json!({ "tool_calls": calls }), "stop"),
        many,
        openai(arguments(&"9".repeat(MAX_TEXT + 1)), "stop"),
        openai(json!({ "reasoning": "r".repeat(MAX_TEXT + 1) }), "stop"),
        format!("data: {}", "y".repeat(3 << 20)),
        "data: y\n".repeat(2 << 20),
    ] {
        let error = read(Provider::Openai, stream.as_bytes(), &[1 << 14]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooBig, "{error}");
    }
}

#[rstest]
#[case(Provider::Openai, json!({ "error": { "message": "boom", "code": 500 } }), ErrorKind::Retryable)]
#[case(Provider::Anthropic, json!({ "type": "error", "error": { "type": "overloaded_error" } }), ErrorKind::Retryable)]
#[case(Provider::Gemini, json!({ "error": { "status": "RESOURCE_EXHAUSTED" } }), ErrorKind::RateLimited { after: None })]
fn an_error_in_the_middle_is_that_error(
    #[case] provider: Provider,
    #[case] error: Value,
    #[case] kind: ErrorKind,
) {
    let text = stream(&[error]);
    assert_eq!(read(provider, text.as_bytes(), &[]).unwrap_err().kind, kind);
}

#[rstest]
#[case(Provider::Openai, json!({ "choices": [{ "finish_reason": "content_filter" }] }), Stop::Filtered)]
#[case(Provider::Openai, json!({ "choices": [{ "finish_reason": "stop" }] }), Stop::End)]
#[case(Provider::Anthropic, json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" } }), Stop::Filtered)]
#[case(Provider::Anthropic, json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } }), Stop::Length)]
#[case(Provider::Gemini, json!({ "promptFeedback": { "blockReason": "SAFETY" } }), Stop::Filtered)]
#[case(Provider::Gemini, json!({ "candidates": [{ "finishReason": "MAX_TOKENS" }] }), Stop::Length)]
fn why_it_stopped_is_told(#[case] provider: Provider, #[case] last: Value, #[case] stop: Stop) {
    let (reply, _) = read(provider, stream(&[last]).as_bytes(), &[]).unwrap();
    assert_eq!(reply.stop, stop);
}
