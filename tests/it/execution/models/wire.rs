//! A turn at the wire: it streams, carries the key, ends when it is cancelled, and keeps its time limit.

use std::time::Duration;

use roost_execution::providers::{Delta, ErrorKind, Limits, Model, Provider, Stop, Usage};
use roost_tests::model_server::{Act, ModelServer, stream_head};
use rstest::rstest;
use serde_json::json;
use tokio::sync::oneshot;

use super::{Desk, KEY, event, question};

#[tokio::test]
async fn a_turn_streams_with_its_tools_and_the_key_that_only_the_broker_has() {
    let desk = Desk::start().await;
    let (go, wait) = oneshot::channel();
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "shell", "arguments": "{\"argv\":[\"ls\"]}" } }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 12, "completion_tokens": 3 } });
    let server = ModelServer::once(vec![
        Act::Say(stream_head()),
        Act::Say(event(json!({ "content": "Let me " }), None)),
        // The rest is said when the first word was heard: what is collected until the end would never get there.
        Act::Wait(wait),
        Act::Say(event(json!({ "content": "look." }), None)),
        Act::Say(event(call, Some("tool_calls"))),
        Act::Say(format!("data: {usage}\n\ndata: [DONE]\n\n").into()),
    ])
    .await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let (mut go, mut heard) = (Some(go), Vec::new());
    let reply = model
        .turn(&question(), &mut |delta| {
            heard.push(delta);
            if let Some(go) = go.take() {
                go.send(()).expect("the server waits");
            }
        })
        .await
        .expect("an answer");
    assert_eq!(reply.text, "Let me look.");
    assert_eq!(reply.calls[0].arguments, json!({ "argv": ["ls"] }));
    assert_eq!(reply.stop, Stop::Tools);
    let usage = Usage {
        input: 12,
        output: 3,
        cached: 0,
    };
    assert_eq!((reply.usage, reply.cost_microusd), (usage, Some(18)));
    assert_eq!(heard[0], Delta::Say("Let me ".to_owned()));

    let asked = &server.asked()[0];
    assert!(
        asked.head.starts_with("post /v1/chat/completions "),
        "{}",
        asked.head
    );
    assert!(
        asked.head.contains(&format!("authorization: bearer {KEY}")),
        "{}",
        asked.head
    );
    assert_eq!(asked.body["messages"][1]["content"], "Say something.");
    assert_eq!(asked.body["tools"][0]["function"]["name"], "shell");
}

#[rstest]
#[case(Provider::Anthropic, "x-api-key", "/v1/messages")]
#[case(
    Provider::Gemini,
    "x-goog-api-key",
    "/v1/models/tiny:streamgeneratecontent?alt=sse"
)]
#[case(Provider::Ollama, "authorization", "/v1/chat/completions")]
#[tokio::test]
async fn each_provider_gets_its_key_where_it_looks_for_it(
    #[case] provider: Provider,
    #[case] header: &str,
    #[case] path: &str,
) {
    let last = match provider {
        Provider::Anthropic => {
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } })
        }
        Provider::Gemini => {
            json!({ "candidates": [{ "content": { "parts": [{ "text": "" }] }, "finishReason": "STOP" }] })
        }
        _ => json!({ "choices": [{ "finish_reason": "stop" }] }),
    };
    let desk = Desk::start().await;
    let end = format!("data: {last}\n\n").into();
    let server = ModelServer::once(vec![Act::Say(stream_head()), Act::Say(end)]).await;
    let model = desk
        .model(provider, server.address, Limits::default())
        .await;
    let reply = model
        .turn(&question(), &mut |_| {})
        .await
        .expect("an answer");
    assert_eq!(reply.stop, Stop::End);
    let asked = &server.asked()[0];
    assert!(
        asked.head.starts_with(&format!("post {path} ")),
        "{}",
        asked.head
    );
    let line = asked
        .head
        .lines()
        .find(|line| line.starts_with(&format!("{header}:")));
    assert!(
        line.is_some_and(|line| line.ends_with(KEY)),
        "{}",
        asked.head
    );
}

#[tokio::test]
async fn a_dropped_turn_is_over_at_the_server_too() {
    let desk = Desk::start().await;
    let mut server = ModelServer::once(vec![
        Act::Say(stream_head()),
        Act::Say(event(json!({ "content": "Once upon" }), None)),
        Act::Hang,
    ])
    .await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let (tell, told) = oneshot::channel();
    let mut tell = Some(tell);
    let question = question();
    let mut hear = |_| {
        if let Some(tell) = tell.take() {
            tell.send(()).expect("somebody waits");
        }
    };
    let turn = model.turn(&question, &mut hear);
    tokio::select! {
        ended = turn => panic!("it ended: {ended:?}"),
        heard = told => heard.expect("a word"),
    }
    server.is_left().await;
}

/// Limits that a test does not wait long for.
fn short() -> Limits {
    Limits {
        first: Duration::from_millis(400),
        between: Duration::from_millis(400),
        whole: Duration::from_secs(60),
        ..Limits::default()
    }
}

#[rstest]
#[case::never_begins(vec![Act::Hang], "did not begin")]
#[case::falls_silent(vec![Act::Say(stream_head()), Act::Say(event(json!({ "content": "a" }), None)), Act::Hang], "fell silent")]
#[tokio::test]
async fn silent_server_is_given_up(#[case] acts: Vec<Act>, #[case] told: &str) {
    let desk = Desk::start().await;
    let mut server = ModelServer::once(acts).await;
    let model = desk.model(Provider::Openai, server.address, short()).await;
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("no answer");
    assert_eq!(error.kind, ErrorKind::Retryable);
    assert!(error.message.contains(told), "{error}");
    server.is_left().await;
}

#[tokio::test]
async fn server_that_sends_only_keep_alives_is_given_up() {
    let desk = Desk::start().await;
    let drip = Act::Repeat(": still here\n\n".into(), Duration::from_millis(50));
    let mut server = ModelServer::once(vec![Act::Say(stream_head()), drip]).await;
    let limits = Limits {
        whole: Duration::from_millis(900),
        ..Limits::default()
    };
    let model = desk.model(Provider::Openai, server.address, limits).await;
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("no answer");
    assert_eq!(error.kind, ErrorKind::Retryable, "{error}");
    server.is_left().await;
}

#[tokio::test]
async fn key_that_the_server_repeats_is_removed() {
    let desk = Desk::start().await;
    let said = event(
        json!({ "content": format!("Your key is {KEY}.") }),
        Some("stop"),
    );
    let server = ModelServer::once(vec![Act::Say(stream_head()), Act::Say(said)]).await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let reply = model
        .turn(&question(), &mut |_| {})
        .await
        .expect("an answer");
    assert!(reply.text.contains("Your key is"), "{}", reply.text);
    assert!(!reply.text.contains("planted"), "{}", reply.text);
}

/// What a channel showed, put together as a page does.
fn joined(heard: &[Delta], of: fn(&Delta) -> Option<&String>) -> String {
    heard.iter().filter_map(of).map(String::as_str).collect()
}

#[tokio::test]
async fn a_key_that_the_server_repeats_in_small_pieces_is_neither_shown_nor_kept() {
    let desk = Desk::start().await;
    let mut acts = vec![Act::Say(stream_head())];
    let mut say = |delta| acts.push(Act::Say(event(delta, None)));
    // Three places at once, a few letters at a time: each place alone puts the key together.
    say(json!({ "content": "Your key: ", "reasoning_content": "The key is " }));
    say(
        json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "shell", "arguments": "{\"argv\":[\"echo " } }] }),
    );
    for piece in KEY.as_bytes().chunks(3) {
        let piece = std::str::from_utf8(piece).expect("ASCII");
        say(json!({ "content": piece }));
        say(json!({ "reasoning_content": piece }));
        say(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": piece } }] }));
    }
    say(json!({ "content": ". Done", "reasoning_content": ", really" }));
    let end = json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"]}" } }] });
    acts.push(Act::Say(event(end, Some("tool_calls"))));
    acts.push(Act::Say("data: [DONE]\n\n".into()));
    let server = ModelServer::once(acts).await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let mut heard = Vec::new();
    let reply = model
        .turn(&question(), &mut |delta| heard.push(delta))
        .await
        .expect("an answer");
    let masked = "*".repeat(KEY.len());
    assert_eq!(reply.text, format!("Your key: {masked}. Done"));
    let command = format!("echo {masked}");
    assert_eq!(reply.calls[0].arguments, json!({ "argv": [command] }));
    let said = joined(&heard, |delta| match delta {
        Delta::Say(text) => Some(text),
        _ => None,
    });
    assert_eq!(said, reply.text, "all of the rest is shown");
    let thought = joined(&heard, |delta| match delta {
        Delta::Think(text) => Some(text),
        _ => None,
    });
    assert_eq!(thought, format!("The key is {masked}, really"));
    let called = joined(&heard, |delta| match delta {
        Delta::Tool(text) => Some(text),
        _ => None,
    });
    assert!(
        called.contains(&masked) && !called.contains(&KEY[..8]),
        "{called}"
    );
}

#[tokio::test]
async fn key_that_is_partly_escaped_is_removed() {
    let desk = Desk::start().await;
    let escaped = format!(
        "{}\\u{:04x}{}",
        &KEY[..5],
        u32::from(KEY.as_bytes()[5]),
        &KEY[6..]
    );
    let data = format!(
        r#"{{"choices":[{{"delta":{{"content":"It is {escaped}."}},"finish_reason":"stop"}}]}}"#
    );
    let said = format!("data: {data}\n\ndata: [DONE]\n\n");
    let server = ModelServer::once(vec![Act::Say(stream_head()), Act::Say(said.into())]).await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let reply = model
        .turn(&question(), &mut |_| {})
        .await
        .expect("an answer");
    assert!(reply.text.starts_with("It is ***"), "{}", reply.text);
    assert!(!reply.text.contains("planted"), "{}", reply.text);
}

#[tokio::test]
async fn a_model_is_asked_nowhere_but_where_its_key_may_go() {
    let desk = Desk::start().await;
    let elsewhere = ModelServer::always(stream_head()).await;
    let server = ModelServer::always(stream_head()).await;
    let mut model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    model.base = format!("http://{}/v1", elsewhere.address)
        .parse()
        .expect("an address");
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Terminal, "{error}");
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn without_its_key_or_a_broker_a_model_says_so() {
    let mut desk = Desk::start().await;
    let server = ModelServer::always(stream_head()).await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    desk.handle
        .delete(model.record.clone())
        .await
        .expect("forgotten");
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::NeedsAuth, "{error}");
    desk.broker.kill();
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Retryable, "{error}");
    assert!(server.asked().is_empty());
}
