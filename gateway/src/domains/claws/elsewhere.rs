//! What other domains know about agents, asked for when an agent is shown.

use std::collections::HashMap;

use super::dto::SandboxBrief;
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::ids::ClawId;

/// The sandboxes of these agents. An agent without one is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn sandboxes_of(
    _db: &Db,
    _scope: WorkspaceScope,
    _claws: &[ClawId],
) -> Result<HashMap<ClawId, SandboxBrief>, sea_orm::DbErr> {
    // There is no `sandboxes` domain in the tree yet, so no agent can have one.
    Ok(HashMap::new())
}
