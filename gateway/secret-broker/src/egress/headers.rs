//! Which headers pass in each direction, and where the secret is put.

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use roost_secret_broker::wire::{Fault, FaultCode, Inject};
use url::Url;
use zeroize::Zeroizing;

use super::redact::Redactor;

/// Most headers, either way.
const MOST: usize = 100;
/// Most bytes of all headers.
const MOST_BYTES: usize = 64 * 1024;

/// Headers of a connection, or headers that the broker sets itself. A range would return an echoed secret in pieces,
/// and an encoding would hide it.
const OURS: [&str; 24] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
    "content-length",
    "expect",
    "range",
    "if-range",
    "accept-encoding",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "via",
    "max-forwards",
    "roost-workspace",
];

/// The caller's own credentials are never sent beside the record's.
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "x-vault-token"];

/// Removed from answers: headers of the connection, and credentials of the remote.
const KEPT_BACK: [&str; 14] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "set-cookie",
    "set-cookie2",
    "authorization",
    "alt-svc",
    "clear-site-data",
];

/// Whether the caller may not set this header.
pub(super) fn is_ours(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OURS.contains(&name.as_str())
}

/// The caller's headers that are sent to the remote.
///
/// # Errors
/// [`FaultCode::BadRequest`] for too many headers, or for an invalid one.
pub fn outgoing(headers: &[(String, String)]) -> Result<HeaderMap, Fault> {
    let bad = |detail: String| Fault::new(FaultCode::BadRequest, detail);
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if headers.len() > MOST || bytes > MOST_BYTES {
        return Err(bad(format!(
            "more than {MOST} headers or {MOST_BYTES} bytes of them"
        )));
    }
    let mut map = HeaderMap::new();
    // Headers that `Connection` names belong to the connection too.
    let named: Vec<String> = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("connection"))
        .flat_map(|(_, value)| {
            value
                .split(',')
                .map(|part| part.trim().to_ascii_lowercase())
        })
        .collect();
    for (name, value) in headers {
        let lower = name.to_ascii_lowercase();
        if is_ours(&lower) || CREDENTIALS.contains(&lower.as_str()) || named.contains(&lower) {
            continue;
        }
        let name = lower
            .parse::<HeaderName>()
            .map_err(|_| bad("the name of a header is not valid".to_owned()))?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| bad(format!("the value of {name} is not valid")))?;
        map.append(name, value);
    }
    map.insert("accept-encoding", HeaderValue::from_static("identity"));
    Ok(map)
}

/// Puts the secret in and replaces any value of the caller.
///
/// # Errors
/// When the secret has bytes that a header cannot hold, or when the record is never forwarded.
pub fn inject(
    inject: &Inject,
    secret: &[u8],
    headers: &mut HeaderMap,
    url: &mut Url,
) -> Result<(), Fault> {
    let unfit = || {
        Fault::new(
            FaultCode::BadRequest,
            "the stored secret has bytes that cannot be sent this way; store it again",
        )
    };
    match inject {
        Inject::Bearer => {
            headers.insert(
                AUTHORIZATION,
                sensitive(&[b"Bearer ", secret]).ok_or_else(unfit)?,
            );
        }
        Inject::Header { name, prefix } => {
            let name: HeaderName = name.to_ascii_lowercase().parse().map_err(|_| unfit())?;
            headers.insert(
                name,
                sensitive(&[prefix.as_bytes(), secret]).ok_or_else(unfit)?,
            );
        }
        Inject::Basic { user } => {
            use base64::Engine;
            let pair = Zeroizing::new([user.as_bytes(), b":", secret].concat());
            let text = Zeroizing::new(base64::engine::general_purpose::STANDARD.encode(&*pair));
            headers.insert(
                AUTHORIZATION,
                sensitive(&[b"Basic ", text.as_bytes()]).ok_or_else(unfit)?,
            );
        }
        Inject::Query { name } => {
            let text = std::str::from_utf8(secret).map_err(|_| unfit())?;
            url.query_pairs_mut().append_pair(name, text);
        }
        Inject::Never => {
            return Err(Fault::new(
                FaultCode::NotAllowed,
                "this record is for the broker's own use and is never forwarded",
            ));
        }
    }
    Ok(())
}

fn sensitive(parts: &[&[u8]]) -> Option<HeaderValue> {
    let bytes = Zeroizing::new(parts.concat());
    let mut value = HeaderValue::from_bytes(&bytes).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The remote's headers that are returned, with the secret removed.
///
/// # Errors
/// [`FaultCode::RemoteRefused`] for an encoded body, which would hide an echoed secret; [`FaultCode::TooLarge`].
pub fn returning(headers: &HeaderMap, redactor: &Redactor) -> Result<Vec<(String, String)>, Fault> {
    let encoded = headers
        .get_all("content-encoding")
        .iter()
        .any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    if encoded {
        return Err(Fault::new(
            FaultCode::RemoteRefused,
            "the remote compressed its answer although it was asked not to; compressed answers are not passed on because they cannot be checked for the secret",
        ));
    }
    let mut all = Vec::new();
    let mut bytes = 0;
    for (name, value) in headers {
        if KEPT_BACK.contains(&name.as_str()) {
            continue;
        }
        let mut value = value.as_bytes().to_vec();
        redactor.clean(&mut value);
        let value = String::from_utf8_lossy(&value).into_owned();
        bytes += name.as_str().len() + value.len();
        if all.len() == MOST || bytes > MOST_BYTES {
            return Err(Fault::new(
                FaultCode::TooLarge,
                "the remote answered with too many headers",
            ));
        }
        all.push((name.as_str().to_owned(), value));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(headers: &[(&str, &str)]) -> Vec<(String, String)> {
        headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn caller_headers_that_carry_credentials_or_weaken_redaction_are_dropped() {
        let given = pairs(&[
            ("Authorization", "Bearer caller"),
            ("Cookie", "a=b"),
            ("Host", "evil.example"),
            ("Range", "bytes=0-1"),
            ("Accept-Encoding", "gzip"),
            ("Connection", "close, X-Hop"),
            ("X-Hop", "1"),
            ("X-Kept", "2"),
        ]);
        let map = outgoing(&given).unwrap();
        let names: Vec<&str> = map.keys().map(HeaderName::as_str).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert_eq!(map["x-kept"], "2");
        assert_eq!(map["accept-encoding"], "identity");
        assert!(outgoing(&pairs(&[("bad name", "x")])).is_err());
        assert!(outgoing(&pairs(&[("x", "a\r\nb: c")])).is_err());
        assert!(outgoing(&vec![("x".to_owned(), "y".to_owned()); MOST + 1]).is_err());
    }

    #[test]
    fn secret_is_injected_as_the_record_defines() {
        let put = |how: Inject| {
            let (mut map, mut url) = (
                HeaderMap::new(),
                Url::parse("https://a.example/x?y=1").unwrap(),
            );
            inject(&how, b"s3cret/word+", &mut map, &mut url).map(|()| (map, url))
        };
        let (map, _) = put(Inject::Bearer).unwrap();
        assert_eq!(map["authorization"], "Bearer s3cret/word+");
        assert!(map["authorization"].is_sensitive());
        let own = Inject::Header {
            name: "X-Api-Key".into(),
            prefix: String::new(),
        };
        assert_eq!(put(own).unwrap().0["x-api-key"], "s3cret/word+");
        let (map, _) = put(Inject::Basic { user: "me".into() }).unwrap();
        assert_eq!(map["authorization"], "Basic bWU6czNjcmV0L3dvcmQr");
        let (_, url) = put(Inject::Query { name: "key".into() }).unwrap();
        assert_eq!(url.query(), Some("y=1&key=s3cret%2Fword%2B"));
        assert_eq!(put(Inject::Never).unwrap_err().code, FaultCode::NotAllowed);
    }

    #[test]
    fn cookies_and_encodings_of_the_remote_are_not_returned() {
        let redactor = Redactor::new(&[b"s3cret-word"]);
        let mut map = HeaderMap::new();
        map.insert("set-cookie", HeaderValue::from_static("a=b"));
        map.insert(
            "location",
            HeaderValue::from_static("https://evil.example/?t=s3cret-word"),
        );
        let back = returning(&map, &redactor).unwrap();
        assert_eq!(
            back,
            pairs(&[("location", "https://evil.example/?t=***********")])
        );
        map.insert("content-encoding", HeaderValue::from_static("gzip"));
        assert_eq!(
            returning(&map, &redactor).unwrap_err().code,
            FaultCode::RemoteRefused
        );
    }
}
