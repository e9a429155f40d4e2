//! The gate of the operators' listener. The listener is on loopback, but every program and every browser of that
//! machine reaches loopback: a page of another site can resolve its own name to 127.0.0.1 (DNS rebinding), and other
//! users of the machine can connect as well. So the gate checks the requested host name, the requesting site, and a
//! token that only the gateway's user can read.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, header};
use subtle::ConstantTimeEq;

use roost_tenancy::auth::sha256_hex;
use roost_web::connections::{Connection, Proof};
use roost_web::error::{ApiError, ApiResult, Code};

/// For probes. Their answers contain nothing about any user.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// The gate.
#[derive(Clone)]
pub struct OperatorGate {
    token_sha256: Arc<str>,
    /// Accepted names beside addresses and `localhost`, lower case.
    hosts: Arc<[String]>,
    /// The path of the token's file, for the answer to a caller without the token.
    file: Arc<str>,
}

impl OperatorGate {
    /// From the token, the file that holds it, and the names by which clients reach the listener.
    pub fn new(token: &str, file: &std::path::Path, hosts: &[String]) -> Self {
        Self {
            token_sha256: sha256_hex(token.trim()).into(),
            hosts: hosts.into(),
            file: file.display().to_string().into(),
        }
    }

    fn check(&self, path: &str, headers: &HeaderMap) -> ApiResult<()> {
        if !self.is_asked_for(headers) {
            return Err(ApiError::new(Code::Forbidden).detail(
                "The request names a host that this listener does not have. Use its address or localhost, or add the name to `operator_hosts`.",
            ));
        }
        if !is_of_no_other_site(headers) {
            return Err(ApiError::new(Code::Forbidden)
                .detail("The request came from a page of another site."));
        }
        if OPEN.contains(&path) || self.has_token(headers) {
            return Ok(());
        }
        Err(ApiError::new(Code::Unauthenticated).detail(format!(
            "The operators' listener wants `Authorization: Bearer …` with the token in {}.",
            self.file
        )))
    }

    /// A page that rebinds its name sends that name. It can send neither an address nor a name that is not its own.
    fn is_asked_for(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(header::HOST).iter();
        let host = match (values.next(), values.next()) {
            (Some(host), None) => host.to_str().ok().map(host_of),
            _ => None,
        };
        host.is_some_and(|host| {
            is_address(&host) || host == "localhost" || self.hosts.contains(&host)
        })
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(header::AUTHORIZATION);
        let value = value.and_then(|value| value.to_str().ok());
        let token = value.and_then(|value| value.split_once(' '));
        token.is_some_and(|(scheme, token)| {
            let hash = sha256_hex(token.trim());
            let same = hash.as_bytes().ct_eq(self.token_sha256.as_bytes());
            scheme.eq_ignore_ascii_case("bearer") && same.into()
        })
    }
}

/// The host of `host:port`, lower case, without the brackets of IPv6.
fn host_of(authority: &str) -> String {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn is_address(host: &str) -> bool {
    host.parse::<IpAddr>().is_ok()
}

/// Browsers send the site of the page that makes the request; programs do not.
fn is_of_no_other_site(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).map(http::HeaderValue::as_bytes);
    let host = text(&header::HOST);
    let own = |origin: &[u8]| {
        let origin = std::str::from_utf8(origin).unwrap_or_default();
        origin.split_once("://").map(|(_, rest)| rest.as_bytes()) == host
    };
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    text(&header::ORIGIN).is_none_or(own) && matches!(site, None | Some(b"same-origin" | b"none"))
}

/// The middleware.
pub async fn guard(State(gate): State<OperatorGate>, request: Request, next: Next) -> Response {
    match gate.check(request.uri().path(), request.headers()) {
        Ok(()) => {
            // Probes have no token. When there are too many connections, those without a token are closed first.
            if let Some(connection) = request.extensions().get::<Connection>()
                && gate.has_token(request.headers())
                && let Err(full) = connection.prove(Proof::Operator)
            {
                return full.into_response();
            }
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, pairs: &[(&'static str, &'static str)]) -> Result<(), Code> {
        let gate = OperatorGate::new(
            "the-token\n",
            std::path::Path::new("/data/operator-token"),
            &["ops.example".to_owned()],
        );
        let headers = pairs
            .iter()
            .map(|(name, value)| {
                let value = http::HeaderValue::from_static(value);
                (HeaderName::from_static(name), value)
            })
            .collect();
        gate.check(path, &headers).map_err(|error| error.code())
    }

    const LOCAL: (&str, &str) = ("host", "127.0.0.1:7668");
    const TOKEN: (&str, &str) = ("authorization", "Bearer the-token");

    #[test]
    fn only_addresses_and_names_of_the_listener_are_answered() {
        for (host, fine) in [
            ("127.0.0.1:7668", true),
            ("[::1]:7668", true),
            ("10.1.2.3", true),
            ("localhost:7668", true),
            ("LOCALHOST", true),
            ("ops.example:7668", true),
            ("evil.example:7668", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1@evil.example", false),
            ("", false),
        ] {
            let answer = asked("/api/ops/log", &[("host", host), TOKEN]);
            assert_eq!(answer.is_ok(), fine, "{host}");
            // The gate also refuses a rebound name on the routes for probes.
            assert_eq!(asked("/readyz", &[("host", host)]).is_ok(), fine, "{host}");
        }
        assert!(asked("/api/ops/log", &[TOKEN]).is_err(), "no host at all");
    }

    #[test]
    fn pages_of_other_sites_are_refused_whatever_they_send() {
        for pair in [
            ("origin", "http://evil.example:7668"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:7667"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let answer = asked("/metrics", &[LOCAL, TOKEN, pair]);
            assert_eq!(answer, Err(Code::Forbidden), "{pair:?}");
        }
        let own = ("origin", "http://127.0.0.1:7668");
        assert_eq!(asked("/metrics", &[LOCAL, TOKEN, own]), Ok(()));
    }

    #[test]
    fn everything_but_the_probes_wants_the_token() {
        for path in [
            "/metrics",
            "/api/ops/log",
            "/api/ops/tree",
            "/",
            "/readyz/x",
        ] {
            assert_eq!(asked(path, &[LOCAL]), Err(Code::Unauthenticated), "{path}");
            for wrong in [
                "Bearer the-tokem",
                "the-token",
                "Basic the-token",
                "Bearer ",
            ] {
                let answer = asked(path, &[LOCAL, ("authorization", wrong)]);
                assert_eq!(answer, Err(Code::Unauthenticated), "{path} {wrong}");
            }
            assert_eq!(asked(path, &[LOCAL, TOKEN]), Ok(()), "{path}");
        }
        for path in OPEN {
            assert_eq!(asked(path, &[LOCAL]), Ok(()), "{path}");
        }
    }
}
