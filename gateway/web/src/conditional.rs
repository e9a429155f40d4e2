//! Conditional requests (RFC 9110): a change names the version on which it is based.

use http::{HeaderMap, header};

use super::error::{ApiError, ApiResult};

/// The version in `If-Match`, with or without quotes; `None` when the header is absent.
///
/// # Errors
/// `validation` when the header holds no number.
pub fn if_match(headers: &HeaderMap) -> ApiResult<Option<i64>> {
    headers
        .get(header::IF_MATCH)
        .map(|value| {
            let text = value.to_str().unwrap_or_default().trim().trim_matches('"');
            text.parse()
                .map_err(|_| ApiError::validation("If-Match", "must be the version, a number"))
        })
        .transpose()
}
