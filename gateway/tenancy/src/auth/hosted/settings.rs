//! The identity issuers that the deployment trusts, beside its local accounts.

use std::path::PathBuf;
use std::time::Duration;

use super::{Admission, ClaimNames};
use roost_platform::ids::WorkspaceId;

/// The kind of issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostedMode {
    /// A hosted identity service, whose tokens name organisations.
    Hosted,
    /// Any OpenID provider.
    Oidc,
}

/// Signing in by an issuer. Local accounts continue to work beside it.
#[derive(Debug, Clone)]
pub struct HostedIdentity {
    pub mode: HostedMode,
    /// The issuer's own spelling: tokens are compared with it byte by byte.
    pub issuer: String,
    /// The audience that a bearer must name. If absent, every token of the issuer is accepted.
    pub audience: Option<String>,
    /// For signing in with a browser. If absent, only bearer tokens are accepted.
    pub client_id: Option<String>,
    /// The file of the client's secret. The broker reads it, this program never does.
    pub client_secret_file: Option<PathBuf>,
    /// The scope of a sign-in. If absent: the person's identity, and offline access where the issuer offers it.
    pub scope: Option<String>,
    /// The issuer's name on the sign-in page.
    pub display_name: String,
    pub claims: ClaimNames,
    pub admission: Admission,
    /// The workspace to which claims and domains apply; absent means the first one of the deployment.
    pub workspace: Option<WorkspaceId>,
    /// The longest time that a browser stays signed in, where the gateway can ask the issuer again.
    pub session: Duration,
}
