//! What an agent may use outside of a run, where its token is the only identification.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use sea_orm::DbErr;

use super::model::{Bundle, Profile};
use roost_machines::sandboxes::SandboxOwner;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// A profile and the bundles that it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// The owner of the sandbox that it works in.
    pub sandbox_of: SandboxOwner,
}

/// Reads the authority of an agent. The wiring supplies it, because teams belong to another domain.
pub type AuthorityOf = Arc<
    dyn Fn(WorkspaceScope, ClawId) -> BoxFuture<'static, Result<Authority, DbErr>> + Send + Sync,
>;
