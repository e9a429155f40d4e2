//! Streamable HTTP as this gateway serves it: stateless, bounded, only under names that are ours.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Largest request, bytes: as everywhere.
const BODY_BYTES: usize = 1024 * 1024;

/// A server of a handler.
pub(super) type Served<H> = StreamableHttpService<H, NeverSessionManager>;

/// The names under which requests may come, and the pages from which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Addresses {
    /// Those of a gateway with this `public_url`: it, and loopback, so that a name that somebody points at this machine
    /// (DNS rebinding) opens nothing.
    pub fn of(public_url: Option<&Url>) -> Self {
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        let mut hosts: Vec<String> = loopback.map(str::to_owned).to_vec();
        hosts.push("::1".to_owned());
        let mut origins: Vec<String> = loopback
            .iter()
            .map(|host| format!("http://{host}:*"))
            .collect();
        if let Some(url) = public_url
            && let Some(host) = url.host_str()
        {
            // A proxy may or may not say the port that it was asked at.
            hosts.push(host.to_owned());
            if let Some(port) = url.port_or_known_default() {
                origins.push(format!("{}://{host}:{port}", url.scheme()));
            }
        }
        Self { hosts, origins }
    }
}

/// Serves handlers that `make` makes, one a request.
pub(super) fn served<H: ServerHandler>(
    addresses: &Addresses,
    draining: CancellationToken,
    make: impl Fn() -> H + Send + Sync + 'static,
) -> Served<H> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(addresses.hosts.clone())
        .with_allowed_origins(addresses.origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(draining);
    StreamableHttpService::new(
        move || Ok(make()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_address_and_loopback_are_ours_and_nothing_else() {
        let url = Url::parse("https://roost.example/").unwrap();
        let public = Addresses::of(Some(&url));
        assert!(public.hosts.contains(&"roost.example".to_owned()));
        assert!(
            public
                .origins
                .contains(&"https://roost.example:443".to_owned())
        );
        let private = Addresses::of(None);
        assert_eq!(private.hosts, ["localhost", "127.0.0.1", "[::1]", "::1"]);
        assert!(
            private
                .origins
                .iter()
                .all(|origin| origin.starts_with("http://"))
        );
    }
}
