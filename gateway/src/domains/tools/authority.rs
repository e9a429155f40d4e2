//! What an agent may use outside of a run, where nothing but its token says who calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use sea_orm::DbErr;

use super::model::{Bundle, Profile};
use crate::domains::auth::WorkspaceScope;
use crate::ids::ClawId;

/// A profile and the bundles that it is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// Whose sandbox its team shares.
    pub workbench: Option<ClawId>,
}

/// Reads the authority of an agent. Given by the wiring: it is the team's, and teams are another domain's.
pub type AuthorityOf = Arc<
    dyn Fn(WorkspaceScope, ClawId) -> BoxFuture<'static, Result<Authority, DbErr>> + Send + Sync,
>;
