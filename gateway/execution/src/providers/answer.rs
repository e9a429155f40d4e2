//! Classifies a provider's refusal, and describes it for a person.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::error::{ErrorKind, ModelError};

/// The maximum number of bytes of the provider's own text in a message.
const MAX_WORDS: usize = 400;

/// The error for an answer that is not 200, with the part of its body that was read.
pub(super) fn refused(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    now: DateTime<Utc>,
) -> ModelError {
    let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let error = body.get("error").unwrap_or(&body);
    let kind = kind_of_status(status, retry_after(headers, now), error);
    ModelError::new(kind, told(kind, &format!("answered {status}"), error))
}

/// The error for an error event in a stream that began well.
pub(super) fn broken(error: &Value) -> ModelError {
    let kind = kind_of_words(error).unwrap_or(ErrorKind::Retryable);
    ModelError::new(kind, told(kind, "broke off", error))
}

fn kind_of_status(status: u16, after: Option<Duration>, error: &Value) -> ErrorKind {
    match (status, kind_of_words(error)) {
        // Some providers report missing credit as a rate limit. Waiting does not help then.
        (402 | 403 | 429, Some(ErrorKind::Quota)) | (402, _) => ErrorKind::Quota,
        (400 | 413 | 422, Some(ErrorKind::TooBig)) | (413, _) => ErrorKind::TooBig,
        (400 | 401 | 403, Some(ErrorKind::NeedsAuth)) | (401 | 403, _) => ErrorKind::NeedsAuth,
        (429, _) => ErrorKind::RateLimited { after },
        (500..=599, _) if after.is_some() => ErrorKind::RateLimited { after },
        (408 | 409 | 425 | 500..=599, _) => ErrorKind::Retryable,
        _ => ErrorKind::Terminal,
    }
}

/// The kind of error in the provider's own code or type.
fn kind_of_words(error: &Value) -> Option<ErrorKind> {
    let field = |name: &str| match error.get(name) {
        Some(Value::String(text)) => text.to_ascii_lowercase(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let words = [field("code"), field("type"), field("status")];
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if any(&[
        "insufficient_quota",
        "billing_error",
        "billing_hard_limit_reached",
    ]) {
        return Some(ErrorKind::Quota);
    }
    let message = field("message");
    let long = [
        "prompt is too long",
        "maximum context length",
        "context size",
        "exceeds the maximum number of tokens",
    ];
    if any(&[
        "context_length_exceeded",
        "request_too_large",
        "exceed_context_size_error",
    ]) || long.iter().any(|long| message.contains(long))
    {
        return Some(ErrorKind::TooBig);
    }
    if any(&[
        "invalid_api_key",
        "authentication_error",
        "permission_error",
        "unauthenticated",
    ]) || message.contains("api key not valid")
    {
        return Some(ErrorKind::NeedsAuth);
    }
    if any(&[
        "rate_limit_error",
        "rate_limit_exceeded",
        "resource_exhausted",
        "429",
    ]) {
        return Some(ErrorKind::RateLimited { after: None });
    }
    if any(&[
        "invalid_request_error",
        "not_found_error",
        "invalid_argument",
    ]) {
        return Some(ErrorKind::Terminal);
    }
    None
}

fn told(kind: ErrorKind, happened: &str, error: &Value) -> String {
    let remedy = match kind {
        ErrorKind::Retryable => "; it is asked again",
        ErrorKind::RateLimited { .. } => ": too many requests or too busy; it is asked again later",
        ErrorKind::Quota => ": its account has no credit left; add some at the provider",
        ErrorKind::NeedsAuth => ": the key is wrong or may not use this model; store another key",
        ErrorKind::Terminal => ": it refuses this request; check the model's name and address",
        ErrorKind::TooBig => ": the conversation is longer than it takes",
    };
    let words = error.get("message").or(Some(error));
    let words = words.and_then(Value::as_str).unwrap_or("");
    let words: String = words
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_WORDS)
        .collect();
    match words.trim() {
        "" => format!("the model's server {happened}{remedy}"),
        words => format!("the model's server {happened}{remedy}. It said: {words}"),
    }
}

/// `retry-after-ms`, or `Retry-After` in seconds or as a date. At most an hour.
fn retry_after(headers: &[(String, String)], now: DateTime<Utc>) -> Option<Duration> {
    const LONGEST: Duration = Duration::from_secs(3_600);
    let header = |name: &str| {
        let found = headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    };
    let exact = header("retry-after-ms").and_then(|value| value.parse().ok());
    let after = match exact {
        Some(millis) => Duration::from_millis(millis),
        None => {
            let value = header("retry-after")?;
            match value.parse() {
                Ok(seconds) => Duration::from_secs(seconds),
                Err(_) => {
                    let at = DateTime::parse_from_rfc2822(value).ok()?;
                    (at.to_utc() - now).to_std().unwrap_or_default()
                }
            }
        }
    };
    Some(after.min(LONGEST))
}
