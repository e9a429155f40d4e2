//! Validated JSON bodies: an invalid body is answered with 400 and a JSON pointer to the field, never only a sentence.

use axum::body::{Bytes, HttpBody as _};
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request};
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use roost_protocol::text::is_hidden;

use super::problem::FieldError;
use crate::error::{ApiError, ApiResult, Code};

/// Scripts such as Persian and emoji of several people join or part characters with these.
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// A JSON body that was parsed and passed its own checks.
#[derive(Debug)]
pub struct Valid<T>(pub T);

/// Checks beyond the types. They collect all mistakes, so that a client learns them at once.
pub trait Check {
    /// Adds what is wrong to `mistakes`.
    fn check(&self, mistakes: &mut Mistakes);
}

/// The mistakes of one body.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<FieldError>);

impl Mistakes {
    /// Adds a mistake for a field.
    pub fn add(&mut self, pointer: &str, detail: impl Into<String>) {
        self.0.push(FieldError {
            pointer: pointer.to_owned(),
            detail: detail.into(),
        });
    }

    /// A text must have `min` to `max` characters, not only blanks, and no control characters except line breaks and
    /// tabs.
    pub fn text(&mut self, pointer: &str, text: &str, min: usize, max: usize) {
        let length = text.trim().chars().count();
        if length < min || text.chars().count() > max {
            self.add(pointer, format!("must have {min} to {max} characters"));
        } else if text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        {
            self.add(pointer, "must not contain control characters");
        }
    }

    /// A name or a title: one line of 1 to `max` characters, not only blanks, in which every character can be seen. Only the
    /// two joiners, which some scripts and emoji need, may stand between others.
    pub fn name(&mut self, pointer: &str, name: &str, max: usize) {
        let (shown, length) = (name.trim(), name.chars().count());
        let joins = |c: char| matches!(c, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER);
        let hidden = |c: char| is_hidden(c) && !joins(c);
        if shown.is_empty() || length > max {
            self.add(pointer, format!("must have 1 to {max} characters"));
        } else if name.chars().any(hidden) || shown.starts_with(joins) || shown.ends_with(joins) {
            self.add(pointer, "must be one line of characters that can be seen");
        }
    }

    /// Ends the checks.
    ///
    /// # Errors
    /// 400 when there are mistakes.
    pub fn done(self) -> ApiResult<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ApiError::validations(self.0))
        }
    }
}

/// Distinguishes `null` (remove) from an absent field (keep).
pub fn nullable<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

impl<S, T> FromRequest<S> for Valid<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Check,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let json = request
            .headers()
            .get(http::header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(is_json);
        if !json {
            return Err(ApiError::new(Code::UnsupportedMediaType)
                .detail("Send the body as JSON with `Content-Type: application/json`."));
        }
        let bytes =
            Bytes::from_request(request, state)
                .await
                .map_err(|rejection| match rejection.into_response_status() {
                    http::StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(Code::PayloadTooLarge),
                    _ => ApiError::validation(
                        "",
                        "the body did not arrive whole, or it came too slowly; send it again",
                    ),
                })?;
        let value: T = parse(&bytes)?;
        let mut mistakes = Mistakes::default();
        value.check(&mut mistakes);
        mistakes.done()?;
        Ok(Self(value))
    }
}

/// A request without a body and without a type of its body has none. Every other body must be valid.
impl<S, T> OptionalFromRequest<S> for Valid<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Check,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Option<Self>> {
        let typed = request.headers().contains_key(http::header::CONTENT_TYPE);
        if !typed && request.body().is_end_stream() {
            return Ok(None);
        }
        let valid = <Self as FromRequest<S>>::from_request(request, state);
        valid.await.map(Some)
    }
}

trait RejectionStatus {
    fn into_response_status(self) -> http::StatusCode;
}

impl<R: axum::response::IntoResponse> RejectionStatus for R {
    fn into_response_status(self) -> http::StatusCode {
        self.into_response().status()
    }
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// Parses JSON. The error points to the field.
///
/// # Errors
/// 400 with a pointer.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    if let Some(pointer) = nul(bytes) {
        let detail = "must not contain NUL (`\\u0000`)";
        return Err(ApiError::validation(pointer, detail));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        let detail = if inner.is_syntax() || inner.is_eof() {
            format!("is not JSON: {inner}")
        } else {
            strip_position(&inner.to_string())
        };
        ApiError::validation(pointer, detail)
    })?;
    deserializer
        .end()
        .map_err(|_| ApiError::validation("", "has more after the JSON document"))?;
    Ok(value)
}

/// The pointer to a text with a NUL. PostgreSQL accepts no NUL, and Roost's texts need none.
fn nul(bytes: &[u8]) -> Option<String> {
    // JSON does not allow raw control characters, so a NUL is always escaped like this.
    let written = b"\\u0000";
    bytes.windows(written.len()).find(|part| part == written)?;
    let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    find_nul(&value, &mut String::new())
}

fn find_nul(value: &serde_json::Value, pointer: &mut String) -> Option<String> {
    use serde_json::Value;
    let mut within = |part: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&escaped(part));
        let found = find_nul(value, pointer);
        pointer.truncate(length);
        found
    };
    match value {
        Value::String(text) => text.contains('\0').then(|| pointer.clone()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| within(&index.to_string(), item)),
        Value::Object(fields) => fields.iter().find_map(|(name, item)| {
            if name.contains('\0') {
                return Some(String::new());
            }
            within(name, item)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A part of a JSON pointer (RFC 6901).
fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        let part = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => escaped(key),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&part);
    }
    pointer
}

/// Removes serde_json's "at line 1 column 7", which does not help beside a pointer.
fn strip_position(text: &str) -> String {
    text.rsplit_once(" at line ")
        .map_or(text, |(before, _)| before)
        .to_owned()
}

/// Query parameters. Invalid ones are answered with 400 and the parameter's problem.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S, T> FromRequestParts<S> for Query<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|rejection| {
                let text = rejection.body_text();
                ApiError::validation("query", text)
            })
    }
}

/// Path parameters. An invalid id is answered with 404, like an unknown one.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|path| Self(path.0))
            .map_err(|_| ApiError::not_found("thing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[serde(rename = "limits")]
        _limits: Vec<Inner>,
    }

    #[derive(Debug, serde::Deserialize)]
    struct Inner {
        #[serde(rename = "pids")]
        _pids: u32,
    }

    #[test]
    fn a_mistake_is_answered_with_a_pointer_to_the_field() {
        for (body, pointer) in [
            (r#"{"limits":[{"pids":1},{"pids":"x"}]}"#, "/limits/1/pids"),
            (r#"{"limits":[{}]}"#, "/limits/0"),
            (r#"{"limits":[],"more":1}"#, "/more"),
            ("{", ""),
            (r#"{"limits":[]} x"#, ""),
            (r#"{"a/b":[1,"x","\u0000"]}"#, "/a~1b/2"),
            (r#"{"a":{"\u0000":1}}"#, ""),
        ] {
            let error = parse::<Outer>(body.as_bytes()).expect_err(body);
            assert_eq!(error.errors[0].pointer, pointer, "{body}: {error:?}");
        }
    }
}
