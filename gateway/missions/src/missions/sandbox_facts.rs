//! What the wing of machines asks about missions: the sandbox of a mission, and the only node of its teams.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Map, Value};

use super::entity::mission;
use super::model::{PhaseKind, RuntimeKind, Status};
use super::{runtime, store};
use roost_platform::db::WriteTx;
use roost_platform::ids::{MissionId, NodeId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// What a mission wants for its own sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxWish {
    /// The name of an image in its config. That of its runtime goes before the other.
    pub image: Option<String>,
    /// Else its sandbox is like that of this team.
    pub like: Option<TeamId>,
    pub pinned: Option<NodeId>,
}

/// What a mission wants for its own sandbox. Nothing when the workspace has no such mission.
///
/// # Errors
/// When the database fails.
pub async fn sandbox_wish(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<SandboxWish, DbErr> {
    let Some(row) = store::get(db, scope, id).await? else {
        return Ok(SandboxWish::default());
    };
    let teams = store::teams(db, scope, id).await?;
    let coding = teams
        .iter()
        .find(|team| team.purpose == PhaseKind::Coding.as_str());
    Ok(SandboxWish {
        image: image_of(&row),
        like: coding.or(teams.first()).map(|team| team.team_id),
        pinned: pin(&row),
    })
}

/// The only node on which the sandboxes of a team may be: that of its mission, while the mission is live.
///
/// # Errors
/// When the database fails.
pub async fn pin_of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    team: TeamId,
) -> Result<Option<NodeId>, DbErr> {
    let mission = store::mission_of_team(db, scope, team).await?;
    Ok(mission.as_ref().and_then(pin))
}

/// The title of a mission, and whether it is live. It cannot end before the end of the transaction.
///
/// # Errors
/// When the database fails.
pub async fn lock_live(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Option<(String, bool)>, DbErr> {
    let row = store::locked(tx, scope, id).await?;
    Ok(row.map(|row| {
        let is_live = is_live(&row);
        (row.title, is_live)
    }))
}

/// The titles of missions. A mission that the workspace does not have is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn titles(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[MissionId],
) -> Result<HashMap<MissionId, String>, DbErr> {
    let rows = store::some(db, scope, ids).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.title)).collect())
}

/// The image that the config names for the mission's own sandbox.
pub(super) fn image_of(row: &mission::Model) -> Option<String> {
    if let Some(runtime) = runtime::config::of(&row.config) {
        return Some(runtime.image);
    }
    let config: Map<String, Value> = serde_json::from_str(&row.config).ok()?;
    config.get("image")?.as_str().map(str::to_owned)
}

fn pin(row: &mission::Model) -> Option<NodeId> {
    let is_local = RuntimeKind::parse(&row.runtime_kind) == Some(RuntimeKind::LocalNode);
    row.target_node_id.filter(|_| is_local && is_live(row))
}

/// A status that this version does not know counts as live.
fn is_live(row: &mission::Model) -> bool {
    let status = Status::parse(&row.status).unwrap_or(Status::Running);
    status != Status::Draft && !status.is_final()
}
