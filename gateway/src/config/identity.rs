//! Whom the deployment believes about people, beside its own accounts.

use std::time::Duration;

use secrecy::SecretString;

use crate::domains::auth::hosted::{Admission, ClaimNames};
use crate::ids::WorkspaceId;

/// What the issuer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostedMode {
    /// A hosted identity service, whose tokens name organisations.
    Hosted,
    /// Any OpenID provider.
    Oidc,
}

/// Signing in by an issuer; local accounts go on beside it.
#[derive(Debug, Clone)]
pub struct HostedIdentity {
    pub mode: HostedMode,
    /// As the issuer writes itself: tokens are compared with it letter by letter.
    pub issuer: String,
    /// Which audience a bearer must name; absent takes every token of the issuer.
    pub audience: Option<String>,
    /// For signing in with a browser; absent means that only bearers come.
    pub client_id: Option<String>,
    pub client_secret: Option<SecretString>,
    /// What the sign-in page calls the issuer.
    pub display_name: String,
    pub claims: ClaimNames,
    pub admission: Admission,
    /// The workspace that claims and domains are about; absent means the first one of the deployment.
    pub workspace: Option<WorkspaceId>,
    /// How long a browser stays signed in before the issuer is asked again.
    pub session: Duration,
}
