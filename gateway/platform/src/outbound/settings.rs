//! The settings for outbound connections.

use std::path::PathBuf;

use roost_secret_broker::outbound::HostRule;

/// The settings for outbound connections of the gateway and of the broker that it starts.
#[derive(Debug, Clone, Default)]
pub struct OutboundSettings {
    /// Hosts, addresses and networks that may be used although they are private or without TLS.
    pub allow_private: Vec<HostRule>,
    /// Certificate authorities in addition to the public ones, as PEM.
    pub ca_file: Option<PathBuf>,
}
