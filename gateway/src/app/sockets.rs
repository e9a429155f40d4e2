//! The listeners' sockets, bound before anything else is done.

use std::net::{SocketAddr, TcpListener};

use super::StartupError;
use crate::config::Config;
use crate::http::certificate::Certificate;

/// Listens; `key` is what the operator would change.
pub(super) fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, StartupError> {
    TcpListener::bind(address).map_err(|source| StartupError::Listen {
        key,
        address,
        source,
    })
}

/// Where it listens.
pub(super) fn local(listener: &TcpListener) -> SocketAddr {
    listener
        .local_addr()
        .expect("a listener that was bound has an address")
}

/// The certificate that is served here, where one is configured.
pub(super) async fn tls(config: &Config) -> Result<Option<Certificate>, StartupError> {
    match &config.tls {
        None => Ok(None),
        Some(tls) => Certificate::load(tls)
            .await
            .map(Some)
            .map_err(StartupError::Tls),
    }
}
