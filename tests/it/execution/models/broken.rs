//! Invalid answers at the wire: each becomes a defined error.

use std::time::Duration;

use bytes::Bytes;
use roost_execution::providers::{ErrorKind, Limits, Model, ModelError, Provider, Reply};
use roost_tests::model_server::{Act, ModelServer, answer, stream_head};
use rstest::rstest;
use serde_json::json;

use super::{Desk, event, question};

async fn asked(acts: Vec<Act>) -> Result<Reply, ModelError> {
    let desk = Desk::start().await;
    let server = ModelServer::once(acts).await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    model.turn(&question(), &mut |_| {}).await
}

const JSON: (&str, &str) = ("content-type", "application/json");
const SOON: ErrorKind = ErrorKind::RateLimited {
    after: Some(Duration::from_secs(3)),
};

#[rstest]
#[case::too_many(answer(429, &[JSON, ("retry-after", "3")], r#"{"error":{"message":"slow down"}}"#), SOON)]
#[case::no_credit(answer(429, &[JSON], r#"{"error":{"code":"insufficient_quota"}}"#), ErrorKind::Quota)]
#[case::wrong_key(answer(401, &[JSON], r#"{"error":{"message":"no such key"}}"#), ErrorKind::NeedsAuth)]
#[case::broken(answer(500, &[], "oops"), ErrorKind::Retryable)]
#[case::busy(answer(503, &[("retry-after", "3")], ""), SOON)]
#[case::too_long(answer(400, &[JSON], r#"{"error":{"code":"context_length_exceeded"}}"#), ErrorKind::TooBig)]
#[case::unknown_model(answer(404, &[JSON], r#"{"error":{"message":"no model tiny"}}"#), ErrorKind::Terminal)]
#[case::elsewhere(answer(302, &[("location", "http://127.0.0.1:1/")], ""), ErrorKind::Terminal)]
#[case::a_page(answer(200, &[("content-type", "text/html")], "<html>"), ErrorKind::Terminal)]
#[case::no_stream(answer(200, &[JSON], r#"{"choices":[]}"#), ErrorKind::Terminal)]
#[case::an_error_as_200(answer(200, &[JSON], r#"{"error":{"type":"overloaded_error"}}"#), ErrorKind::Retryable)]
#[case::nothing(answer(200, &[("content-type", "text/event-stream")], ""), ErrorKind::Retryable)]
#[case::garbage(answer(200, &[("content-type", "text/event-stream")], "data: \u{7}{{{\n\n"), ErrorKind::Terminal)]
#[case::no_http(
    Bytes::from_static(b"220 mail.example ESMTP\r\n"),
    ErrorKind::Retryable
)]
#[tokio::test]
async fn invalid_answer_is_an_error_with_a_remedy(#[case] said: Bytes, #[case] kind: ErrorKind) {
    let error = asked(vec![Act::Say(said)]).await.expect_err("no answer");
    assert_eq!(error.kind, kind, "{error}");
    assert!(!error.message.is_empty());
}

#[tokio::test]
async fn bytes_that_are_not_text_are_refused() {
    let said = Bytes::from_static(b"data: \xff\xfe\n\n");
    let error = asked(vec![Act::Say(stream_head()), Act::Say(said)]).await;
    assert_eq!(error.expect_err("no answer").kind, ErrorKind::Terminal);
}

#[tokio::test]
async fn stream_that_breaks_off_is_an_error() {
    let word = event(json!({ "content": "Once upon" }), None);
    let error = asked(vec![Act::Say(stream_head()), Act::Say(word)]).await;
    assert_eq!(error.expect_err("no answer").kind, ErrorKind::Retryable);

    // Promised a length, and broke the promise.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 5000\r\n\r\n";
    let word = event(json!({ "content": "Once" }), Some("stop"));
    let error = asked(vec![Act::Say(head.into()), Act::Say(word)]).await;
    assert_eq!(error.expect_err("no answer").kind, ErrorKind::Retryable);
}

#[tokio::test]
async fn half_a_tool_call_is_kept_as_it_was_written() {
    let half = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "shell", "arguments": "{\"argv\": [\"rm\"" } }] });
    let said = event(half, Some("length"));
    let reply = asked(vec![Act::Say(stream_head()), Act::Say(said)]).await;
    let call = &reply.expect("an answer").calls[0];
    assert_eq!(call.malformed.as_deref(), Some("{\"argv\": [\"rm\""));
    assert_eq!(call.arguments, json!({}));
}

#[rstest]
#[case::comments(Bytes::from(": nothing\n".repeat(10_000)))]
#[case::text(event(json!({ "content": "x".repeat(60_000) }), None))]
#[case::one_line(Bytes::from(vec![b'x'; 100_000]))]
#[tokio::test]
async fn an_answer_without_end_is_cut_off_and_the_server_left(#[case] piece: Bytes) {
    let desk = Desk::start().await;
    let mut server = ModelServer::once(vec![
        Act::Say(stream_head()),
        Act::Repeat(piece, Duration::ZERO),
    ])
    .await;
    let model = desk
        .model(Provider::Openai, server.address, Limits::default())
        .await;
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("no answer");
    assert_eq!(error.kind, ErrorKind::TooBig, "{error}");
    server.is_left().await;
}
