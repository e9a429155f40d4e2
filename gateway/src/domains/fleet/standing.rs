//! What placement and pages of other domains ask about machines.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::model::Connection;
use super::store;
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
