//! Sandboxes as the page and the API show them.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use roost_protocol::limits::SANDBOX_LEASE_S;
use roost_protocol::sandbox::Limits;
use sea_orm::DbErr;

use super::dto::Sandbox;
use super::engine::node_of;
use super::entity::container;
use super::model::State;
use super::{SandboxesHandle, hardening, store};
use crate::fleet;
use roost_agents::claws::{SandboxBrief, SandboxBriefs};
use roost_platform::db::Db;
use roost_platform::ids::{ClawId, NodeId};
use roost_tenancy::auth::WorkspaceScope;

/// The sandboxes of these agents; an agent without one is not in the map.
///
/// # Errors
/// When the database fails.
async fn sandboxes_of(
    db: &Db,
    scope: WorkspaceScope,
    agents: &[ClawId],
) -> Result<HashMap<ClawId, SandboxBrief>, DbErr> {
    let rows = store::current_of(db.read(), scope, agents).await?;
    let names = names_of(db, scope, &rows).await?;
    let brief = |row: container::Model| {
        let brief = SandboxBrief {
            id: row.id,
            node_name: name(&names, &row.node_id),
            node_id: row.node_id,
            state: row.state,
            container: row.container.unwrap_or_default(),
            created_at: row.created_at,
        };
        (row.agent_id, brief)
    };
    Ok(rows.into_iter().map(brief).collect())
}

/// The full view of a row, for its page.
pub(super) async fn shown(
    db: &Db,
    scope: WorkspaceScope,
    row: container::Model,
) -> Result<Sandbox, DbErr> {
    let names = names_of(db, scope, std::slice::from_ref(&row)).await?;
    let limits: Limits = serde_json::from_value(row.limits.clone()).unwrap_or_default();
    let (hardening, hardening_missing) = hardening::on_row(row.hardening);
    let lease = TimeDelta::seconds(i64::try_from(SANDBOX_LEASE_S).unwrap_or(i64::MAX));
    Ok(Sandbox {
        id: row.id,
        agent_id: row.agent_id,
        node_name: name(&names, &row.node_id),
        node_id: row.node_id,
        // An unknown word of a newer gateway is shown as lost, so that it never looks like running.
        state: State::parse(&row.state).unwrap_or(State::Lost),
        container: row.container,
        image: row.image,
        limits: limits.into(),
        fallback: row
            .fallback
            .and_then(|value| serde_json::from_value(value).ok()),
        detail: row.detail,
        hardening,
        hardening_missing,
        workspace_archive: row.archive,
        lease_until: row.last_used_at + lease,
        last_used_at: row.last_used_at,
        created_at: row.created_at,
        version: row.version,
    })
}

async fn names_of(
    db: &Db,
    scope: WorkspaceScope,
    rows: &[container::Model],
) -> Result<HashMap<NodeId, String>, DbErr> {
    let nodes: Vec<NodeId> = rows
        .iter()
        .filter_map(|row| node_of(&row.node_id))
        .collect();
    if nodes.is_empty() {
        return Ok(HashMap::new());
    }
    fleet::names_of(db.read(), scope, &nodes).await
}

fn name(names: &HashMap<NodeId, String>, machine: &str) -> String {
    match node_of(machine) {
        None => "this gateway's host".to_owned(),
        Some(node) => names
            .get(&node)
            .cloned()
            .unwrap_or_else(|| "a machine that was removed".to_owned()),
    }
}

#[async_trait]
impl SandboxBriefs for SandboxesHandle {
    async fn of(
        &self,
        scope: WorkspaceScope,
        agents: &[ClawId],
    ) -> Result<HashMap<ClawId, SandboxBrief>, DbErr> {
        sandboxes_of(&self.db, scope, agents).await
    }
}
