//! What placement and other domains' pages read about machines.

use std::collections::HashMap;

use roost_protocol::caps::Caps;
use sea_orm::{ConnectionTrait, DbErr};

use super::bounds::bounds_of;
use super::dto::{NodeImage, images_of};
use super::entity::node;
use super::model::Connection;
use super::sample::Sample;
use super::store;
use roost_platform::db::Db;
use roost_platform::ids::NodeId;
use roost_tenancy::auth::WorkspaceScope;

/// The facts that decide whether a machine can take a new sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Availability {
    /// The last frame of the machine is recent. It is not for a suspect machine.
    pub connected: bool,
    pub draining: bool,
    /// The owner paused it.
    pub paused: bool,
    /// The gateway that holds its connection.
    pub held_by: Option<String>,
    /// The most that sandboxes may have there; `None` until the machine reports it.
    pub caps: Option<Caps>,
    /// Its name, if a person gave it one.
    pub name: Option<String>,
    /// What it has of the deployment's images; empty until it reports.
    pub images: Vec<NodeImage>,
}

impl Availability {
    /// Whether another gateway holds its connection.
    pub fn is_held_elsewhere(&self, replica: &str) -> bool {
        self.connected && self.held_by.as_deref().is_some_and(|by| by != replica)
    }
}

/// The state of a machine; `None` when the workspace has no such machine.
///
/// # Errors
/// When the database fails.
pub async fn availability(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<Option<Availability>, DbErr> {
    Ok(store::get(db, scope, id).await?.map(|node| Availability {
        connected: Connection::from_stored(&node.connection) == Connection::Connected,
        draining: node.draining,
        paused: node.paused,
        held_by: node.held_by,
        caps: bounds_of(node.bounds).map(|bounds| bounds.caps()),
        name: node.name,
        images: images_of(node.images),
    }))
}

/// The size of a machine, from its last report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capacity {
    pub memory_bytes: Option<u64>,
    pub cores: Option<u32>,
}

/// The sizes of these machines. A machine that never reported is not in the map.
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
            let sample = Sample::stored(row.health?, &row.node);
            let capacity = Capacity {
                memory_bytes: sample.memory_total_bytes,
                cores: sample.cores,
            };
            Some((row.node.id, capacity))
        })
        .collect())
}

/// The names of these machines. A removed machine is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn names_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<HashMap<NodeId, String>, DbErr> {
    let nodes = store::names(db, scope, ids).await?.into_iter();
    Ok(nodes
        .map(|(id, name, hostname)| (id, node::called(name.as_deref(), hostname.as_deref())))
        .collect())
}
