//! The operator's settings for apps that are connected by OAuth.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Connecting apps by OAuth.
#[derive(Debug, Clone, Default)]
pub struct OAuth {
    /// The issuer of `oauth` connections; `mcp_oauth` names its own.
    pub issuer_url: Option<url::Url>,
    pub client_id: Option<String>,
    /// The file of the client's secret, which is sent only to the configured issuer. The broker reads the file; this
    /// program never does.
    pub client_secret_file: Option<PathBuf>,
    /// The address at which browsers reach this gateway; the default is `public_url`.
    pub redirect_base: Option<url::Url>,
    /// The base of each provider's API: the only place where its tokens may go.
    pub apis: BTreeMap<String, url::Url>,
}
