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
use super::snapshots;
use super::{SandboxesHandle, brief_store, hardening};
use roost_agents::claws::{SandboxBrief, SandboxBriefs};
use roost_platform::db::Db;
use roost_platform::ids::ClawId;
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
    let rows = brief_store::current_of(db, scope, agents).await?;
    let brief = |brief_store::Brief { row, machine }| {
        let brief = SandboxBrief {
            id: row.id,
            node_name: machine.unwrap_or_else(|| unnamed(&row.node_id).to_owned()),
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
    let node_name = snapshots::restore::name_of(db.read(), scope, &row.node_id).await?;
    let snapshot = snapshots::store::newest(db.read(), scope, row.owner_id).await?;
    let limits: Limits = serde_json::from_value(row.limits.clone()).unwrap_or_default();
    let (hardening, hardening_missing) = hardening::on_row(row.hardening);
    let lease = TimeDelta::seconds(i64::try_from(SANDBOX_LEASE_S).unwrap_or(i64::MAX));
    Ok(Sandbox {
        id: row.id,
        owner_kind: row.owner_kind,
        owner_id: row.owner_id,
        node_name,
        node_id: row.node_id,
        // An unknown word of a newer gateway is shown as lost, so that it never looks like running.
        state: State::parse(&row.state).unwrap_or(State::Lost),
        container: row.container,
        image: row.image,
        image_digest: row.image_digest,
        limits: limits.into(),
        fallback: row
            .fallback
            .and_then(|value| serde_json::from_value(value).ok()),
        detail: row.detail,
        hardening,
        hardening_missing,
        snapshot: snapshot.map(Into::into),
        restored_from: row
            .restored
            .and_then(|value| serde_json::from_value(value).ok()),
        snapshot_problem: row.snapshot_problem,
        workspace_archive: row.archive,
        lease_until: row.last_used_at + lease,
        last_used_at: row.last_used_at,
        created_at: row.created_at,
        version: row.version,
    })
}

/// What to call a machine without a row.
pub(super) fn unnamed(machine: &str) -> &'static str {
    match node_of(machine) {
        None => "this gateway's host",
        Some(_) => "a machine that was removed",
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
