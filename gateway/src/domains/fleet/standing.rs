//! What placement and pages of other domains ask about machines.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::dto::Sample;
use super::model::Connection;
use super::store;
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::ids::NodeId;

/// What decides whether a machine can take a new sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Heard within its interval; a suspect machine is not.
    pub connected: bool,
    pub draining: bool,
    /// Its owner paused it.
    pub paused: bool,
    /// The gateway that holds its connection.
    pub held_by: Option<String>,
}

impl Standing {
    /// Whether it is reached through another gateway than this.
    pub fn is_held_elsewhere(&self, replica: &str) -> bool {
        self.connected && self.held_by.as_deref().is_some_and(|by| by != replica)
    }
}

/// How a machine stands; `None` when the workspace has no such machine.
///
/// # Errors
/// When the database fails.
pub async fn standing(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<Option<Standing>, DbErr> {
    Ok(store::get(db, scope, id).await?.map(|node| Standing {
        connected: Connection::from_stored(&node.connection) == Connection::Connected,
        draining: node.draining,
        paused: node.paused,
        held_by: node.held_by,
    }))
}

/// How much there is of a machine, as it said last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capacity {
    pub memory_bytes: Option<u64>,
    pub cores: Option<u32>,
}

/// How much there is of these machines; one that never said is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn capacities(
    db: &Db,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<HashMap<NodeId, Capacity>, DbErr> {
    let nodes = store::some(db.read(), scope, ids).await?;
    let rows = store::with_health(db.read(), db.backend(), nodes).await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let sample: Sample = serde_json::from_value(row.health?.sample).ok()?;
            let capacity = Capacity {
                memory_bytes: sample.memory_total_bytes,
                cores: sample.cores,
            };
            Some((row.node.id, capacity))
        })
        .collect())
}

/// What these machines are called; one that was removed is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn names_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<HashMap<NodeId, String>, DbErr> {
    let nodes = store::some(db, scope, ids).await?;
    Ok(nodes
        .into_iter()
        .map(|node| (node.id, node.called()))
        .collect())
}
