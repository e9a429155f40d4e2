//! The classification of refusals.

use std::time::Duration;

use chrono::DateTime;
use rstest::rstest;

use super::super::answer::{broken, refused};
use super::super::*;

const NONE: &[(&str, &str)] = &[];
const LATER: ErrorKind = ErrorKind::RateLimited { after: None };

#[rstest]
#[case(
    401,
    r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#,
    ErrorKind::NeedsAuth
)]
#[case(403, "", ErrorKind::NeedsAuth)]
#[case(400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#, ErrorKind::NeedsAuth)]
#[case(402, "<html>", ErrorKind::Quota)]
#[case(
    429,
    r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#,
    ErrorKind::Quota
)]
#[case(
    429,
    r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
    LATER
)]
#[case(429, "\u{0}\u{1}garbage", LATER)]
#[case(
    400,
    r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
    ErrorKind::TooBig
)]
#[case(400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Prompt is too long: 210000 tokens"}}"#, ErrorKind::TooBig)]
#[case(413, "", ErrorKind::TooBig)]
#[case(400, r#"{"error":{"message":"tools[0] is odd"}}"#, ErrorKind::Terminal)]
#[case(404, r#"{"error":"model not found"}"#, ErrorKind::Terminal)]
#[case(301, "", ErrorKind::Terminal)]
#[case(204, "", ErrorKind::Terminal)]
#[case(500, "", ErrorKind::Retryable)]
#[case(529, r#"{"error":{"type":"overloaded_error"}}"#, ErrorKind::Retryable)]
#[case(
    500,
    r#"{"error":{"type":"invalid_request_error"}}"#,
    ErrorKind::Retryable
)]
fn a_status_and_its_words_say_what_can_be_done(
    #[case] status: u16,
    #[case] body: &str,
    #[case] kind: ErrorKind,
) {
    let error = refused(
        status,
        &headers(NONE),
        body.as_bytes(),
        DateTime::UNIX_EPOCH,
    );
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.contains(&status.to_string()));
    assert!(!error.message.contains(char::is_control));
}

#[rstest]
#[case(429, &[("Retry-After", "7")], 7_000)]
#[case(429, &[("retry-after-ms", "250"), ("retry-after", "7")], 250)]
#[case(503, &[("retry-after", "Thu, 01 Jan 1970 00:00:30 GMT")], 30_000)]
#[case(429, &[("retry-after", "99999999")], 3_600_000)]
#[case(429, &[("retry-after", "Wed, 31 Dec 1969 00:00:00 GMT")], 0)]
fn when_to_come_back_is_read(
    #[case] status: u16,
    #[case] told: &[(&str, &str)],
    #[case] millis: u64,
) {
    let error = refused(status, &headers(told), b"", DateTime::UNIX_EPOCH);
    let after = Some(Duration::from_millis(millis));
    assert_eq!(error.kind, ErrorKind::RateLimited { after });
    assert!(error.may_be_retried());
}

#[test]
fn unreadable_retry_after_is_ignored() {
    for value in ["soon", "-5", ""] {
        let told = headers(&[("retry-after", value)]);
        let error = refused(429, &told, b"", DateTime::UNIX_EPOCH);
        assert_eq!(error.kind, LATER, "{value}");
    }
}

#[test]
fn a_providers_words_are_bounded() {
    let body = serde_json::json!({ "error": { "message": "x\u{1b}[2J".repeat(100_000) } });
    let error = refused(400, &[], body.to_string().as_bytes(), DateTime::UNIX_EPOCH);
    assert!(error.message.len() < 1_000, "{}", error.message.len());
    assert!(!error.message.contains('\u{1b}'));
}

#[test]
fn an_error_within_a_stream_is_asked_again_unless_it_says_otherwise() {
    let overloaded = serde_json::json!({ "type": "overloaded_error", "message": "busy" });
    assert_eq!(broken(&overloaded).kind, ErrorKind::Retryable);
    let wrong = serde_json::json!({ "type": "invalid_request_error" });
    assert_eq!(broken(&wrong).kind, ErrorKind::Terminal);
}

fn headers(told: &[(&str, &str)]) -> Vec<(String, String)> {
    told.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}
