//! The Streamable HTTP transport: stateless, limited in size, and only for the gateway's own host names.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use url::Url;

/// The largest request in bytes, as for all routes.
const BODY_BYTES: usize = 1024 * 1024;

/// The server of a handler.
pub(super) type Served<H> = StreamableHttpService<H, NeverSessionManager>;

/// The host names that requests may use, and the origins of allowed pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Addresses {
    /// The addresses of a gateway with this `public_url`: that URL and loopback. A foreign name that points to this
    /// machine (DNS rebinding) is refused.
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
            // A proxy may or may not add the port of the original request.
            hosts.push(host.to_owned());
            if let Some(port) = url.port_or_known_default() {
                origins.push(format!("{}://{host}:{port}", url.scheme()));
            }
        }
        Self { hosts, origins }
    }
}

/// Serves handlers. `make` creates one for each request.
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
