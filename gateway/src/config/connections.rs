//! What the gateway needs to reach others for its users.

use std::collections::BTreeMap;
use std::path::PathBuf;

use roost_secret_broker::outbound::HostRule;

/// How the gateway and the broker that it starts leave the deployment.
#[derive(Debug, Clone, Default)]
pub struct Outbound {
    /// Hosts, addresses and networks that may be dialled although they are private, or without TLS.
    pub allow_private: Vec<HostRule>,
    /// More authorities than the public ones, as PEM.
    pub ca_file: Option<PathBuf>,
}

/// Connecting apps by OAuth.
#[derive(Debug, Clone, Default)]
pub struct OAuth {
    /// The issuer of `oauth` connections; `mcp_oauth` names its own.
    pub issuer_url: Option<url::Url>,
    pub client_id: Option<String>,
    /// Shown to the configured issuer only, and by the broker.
    pub client_secret: Option<secrecy::SecretString>,
    /// Where browsers reach this gateway; absent means `public_url`.
    pub redirect_base: Option<url::Url>,
    /// Provider to the base of its API: the only place where its tokens may go.
    pub apis: BTreeMap<String, url::Url>,
}
