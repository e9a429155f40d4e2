//! The listeners' sockets, bound before all other work.

use std::net::{SocketAddr, TcpListener};

use rustix::process::{Resource, getrlimit};

use super::StartupError;
use crate::config::Config;
use crate::edge::server::certificate::Certificate;
use roost_web::client_address::TrustedProxies;
use roost_web::connections::{ConnectionLimits, Connections};

/// Binds a socket. `key` is the configuration key that an operator would change.
pub(super) fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, StartupError> {
    TcpListener::bind(address).map_err(|source| StartupError::Listen {
        key,
        address,
        source,
    })
}

/// The address of the socket.
pub(super) fn local(listener: &TcpListener) -> SocketAddr {
    listener
        .local_addr()
        .expect("a listener that was bound has an address")
}

/// The certificate of the public listener, if one is configured.
pub(super) async fn tls(config: &Config) -> Result<Option<Certificate>, StartupError> {
    match &config.tls {
        None => Ok(None),
        Some(tls) => Certificate::load(tls)
            .await
            .map(Some)
            .map_err(StartupError::Tls),
    }
}

/// How many connections the public and the operators' listener accept, from the number of files that this process may
/// open.
pub(super) fn connections(config: &Config) -> (Connections, Connections) {
    // An absent value means no limit.
    let files = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20);
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    let proxies = TrustedProxies::new(&config.trusted_proxies);
    let public = Connections::new(ConnectionLimits::of_files(files), proxies);
    let operators = ConnectionLimits::of_operators();
    (
        public,
        Connections::new(operators, TrustedProxies::default()),
    )
}
