//! Protects against cross-site requests: a request that changes something and is authorised by a cookie must come from
//! the gateway's own origin. Bearer tokens are exempt, because another site cannot make a browser send one. WebSockets
//! use this check too.

use http::{HeaderMap, Method, header};

use crate::error::{ApiError, ApiResult, Code};

/// The origin of this gateway's pages if `public_url` is set. Otherwise the `Host` header decides.
#[derive(Debug, Clone, Default)]
pub struct OwnOrigin(pub Option<String>);

impl OwnOrigin {
    /// Checks a request that is authorised by a cookie.
    ///
    /// # Errors
    /// 403 when it changes something and comes from another origin.
    pub fn check(&self, method: &Method, headers: &HeaderMap) -> ApiResult<()> {
        if method.is_safe() || self.is_ours(headers) {
            Ok(())
        } else {
            Err(ApiError::new(Code::Forbidden).detail(
                "The request came from another site. Open the page by the address in `public_url`, or use a bearer token.",
            ))
        }
    }

    /// Whether the request comes from the gateway's own origin. Without an `Origin` header, `Sec-Fetch-Site` decides:
    /// programs send neither, browsers send at least one with each request that changes something.
    pub fn is_ours(&self, headers: &HeaderMap) -> bool {
        let text = |name| {
            headers
                .get(name)
                .and_then(|value: &http::HeaderValue| value.to_str().ok())
        };
        let Some(origin) = text(header::ORIGIN) else {
            return matches!(
                text(header::HeaderName::from_static("sec-fetch-site")),
                None | Some("same-origin" | "none")
            );
        };
        if self
            .0
            .as_deref()
            .is_some_and(|own| own.eq_ignore_ascii_case(origin))
        {
            return true;
        }
        let authority = origin.split_once("://").map(|(_, rest)| rest);
        authority.is_some() && authority == text(header::HOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(k, v)| {
                (
                    header::HeaderName::from_static(k),
                    http::HeaderValue::from_static(v),
                )
            })
            .collect()
    }

    #[test]
    fn only_our_own_pages_may_change_things_with_a_cookie() {
        let own = OwnOrigin(Some("https://roost.example".into()));
        let host = ("host", "127.0.0.1:7667");
        for (pairs, allowed) in [
            (vec![host], true),
            (vec![host, ("origin", "http://127.0.0.1:7667")], true),
            (vec![host, ("origin", "https://roost.example")], true),
            (vec![host, ("origin", "https://evil.example")], false),
            (vec![host, ("origin", "null")], false),
            (vec![host, ("sec-fetch-site", "cross-site")], false),
            (vec![host, ("sec-fetch-site", "same-site")], false),
            (vec![host, ("sec-fetch-site", "same-origin")], true),
        ] {
            let headers = headers(&pairs);
            assert_eq!(
                own.check(&Method::POST, &headers).is_ok(),
                allowed,
                "{pairs:?}"
            );
            assert!(own.check(&Method::GET, &headers).is_ok());
        }
    }
}
