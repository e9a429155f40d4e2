//! Validated JSON bodies: what does not fit is answered 400 with a JSON pointer to the field, never a bare sentence.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::problem::FieldError;
use crate::error::{ApiError, ApiResult, Code};

/// A JSON body that parsed and passed its own checks.
#[derive(Debug)]
pub struct Valid<T>(pub T);

/// Checks beyond the types. Collects every mistake, so that a client learns them all at once.
pub trait Check {
    /// Reports what is wrong to `mistakes`.
    fn check(&self, mistakes: &mut Mistakes);
}

/// The mistakes of one body.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<FieldError>);

impl Mistakes {
    /// A field is wrong.
    pub fn add(&mut self, pointer: &str, detail: impl Into<String>) {
        self.0.push(FieldError {
            pointer: pointer.to_owned(),
            detail: detail.into(),
        });
    }

    /// A text must have `min` to `max` characters, not only blanks, and no control characters but line ends and tabs.
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

    /// As an answer.
    ///
    /// # Errors
    /// 400 when there is any.
    pub fn done(self) -> ApiResult<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ApiError::validations(self.0))
        }
    }
}

/// Tells `null` (remove) from absent (keep).
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

/// Parses JSON; the error points at the field.
///
/// # Errors
/// 400 with a pointer.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
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

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        let part = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&part);
    }
    pointer
}

/// serde_json appends "at line 1 column 7", which says nothing once there is a pointer.
fn strip_position(text: &str) -> String {
    text.rsplit_once(" at line ")
        .map_or(text, |(before, _)| before)
        .to_owned()
}

/// Query parameters; what does not fit is a 400 that names the parameter's problem.
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

/// Path parameters. An id that is not one is answered like an unknown one: 404.
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
        ] {
            let error = parse::<Outer>(body.as_bytes()).expect_err(body);
            assert_eq!(error.errors[0].pointer, pointer, "{body}: {error:?}");
        }
    }
}
