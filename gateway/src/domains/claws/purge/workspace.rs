//! `workspace.purge`: what is left of a workspace after its people are gone. Machines are deleted first, so that
//! sandboxes on one that never answers count as lost and nothing waits for it; then each agent's own purge runs; then the
//! rows go. Looked at again and again until nothing is left, so that it does not matter where it was cut off.

use std::time::Duration;

use chrono::TimeDelta;

use super::driver::SagaDriver;
use super::entity::saga;
use super::{Kind, store};
use crate::db::lease::Lease;
use crate::domains::auth::WorkspaceScope;
use crate::domains::{claws, fleet, sandboxes, workspaces};
use crate::http::pagination::PageRequest;
use crate::kill_point;

/// The word in the database.
pub const WORKSPACE: &str = "workspace.purge";
/// How soon it looks again while agents or machines are on their way out.
const AGAIN: Duration = Duration::from_secs(1);
/// A machine's actor has 30 s to end what runs there and writes to the workspace's log meanwhile.
const MACHINES_LEAVE: TimeDelta = TimeDelta::seconds(40);

impl SagaDriver {
    /// One look.
    pub(super) async fn workspace_step(
        &self,
        lease: &Lease,
        saga: &saga::Model,
    ) -> Result<bool, sea_orm::DbErr> {
        let scope = WorkspaceScope::of_row(saga.workspace_id);
        if let Err(error) = (self.delete_nodes)(scope, saga.requested_by).await {
            return self.postpone(lease, saga, &error).await;
        }
        kill_point!(self.kill_points, "claws.saga.after_effect");
        let now = self.clock.now();
        let tx = self.db.write().await?;
        let some = PageRequest {
            limit: 100,
            after: None,
        };
        let agents = claws::store::list(&*tx, scope, some, true).await?;
        for agent in &agents {
            let user = saga.requested_by;
            store::begin_at(&tx, &self.ids, now, scope, user, Kind::Purge, agent.id).await?;
        }
        let leaving = fleet::store::deleted_after(&*tx, scope, now - MACHINES_LEAVE).await?;
        if agents.is_empty() && !leaving {
            sandboxes::store::remove_all(&*tx, scope).await?;
            fleet::store::remove_all(&*tx, scope).await?;
            workspaces::store::remove(&*tx, scope).await?;
            store::advance(&tx, saga, None, now).await?;
        } else {
            store::look_again(&tx, saga, AGAIN, now).await?;
        }
        if !lease.guard(&tx).await? {
            return Ok(false);
        }
        tx.commit().await?;
        kill_point!(self.kill_points, "claws.saga.after_commit");
        Ok(true)
    }
}
