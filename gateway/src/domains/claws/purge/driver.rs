//! The driver of sagas: takes the lease, carries the saga that is due one step, and so on; failures are retried with
//! growing waits, for ever, because what a saga removes must not stay.

use std::sync::Arc;
use std::time::Duration;

use super::entity::saga;
use super::{Kind, Step, store};
use crate::clock::SharedClock;
use crate::db::Db;
use crate::db::lease::Lease;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::{avatar, brain, store as claws};
use crate::domains::sandboxes;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{ClawId, SharedIds, UserId};
use crate::kill_point;
use crate::supervision::KillPoints;
use futures::future::BoxFuture;

/// Destroys the sandbox of an agent wherever it runs; succeeds when there is none. Given by whoever wires `sandboxes`.
pub type DestroySandbox =
    Arc<dyn Fn(WorkspaceScope, ClawId) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Deletes all machines of a workspace; succeeds when there are none. Given by whoever wires `fleet`.
pub type DeleteNodes =
    Arc<dyn Fn(WorkspaceScope, UserId) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Everything that the driver needs.
#[derive(Clone)]
pub struct SagaDriver {
    pub db: Db,
    pub clock: SharedClock,
    pub kill_points: KillPoints,
    pub ids: SharedIds,
    pub destroy_sandbox: DestroySandbox,
    pub delete_nodes: DeleteNodes,
    /// This incarnation's name in the lease.
    pub owner: String,
}

const LEASE: &str = "saga-driver";
/// Short, so that another gateway goes on soon after this one was killed; renewed while a step takes longer.
const LEASE_TTL: Duration = Duration::from_secs(5);
const RENEW_EVERY: Duration = Duration::from_secs(2);
/// A step that takes longer is given up and tried again.
const STEP_TIMEOUT: Duration = Duration::from_secs(20);

impl SagaDriver {
    /// Carries one saga one step; `false` when nothing is due or another replica is the driver.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn one_step(&self) -> Result<bool, sea_orm::DbErr> {
        let Some(saga) = store::due(&self.db).await? else {
            return Ok(false);
        };
        let Some(lease) = Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await? else {
            return Ok(false);
        };
        if saga.kind == super::workspace::WORKSPACE {
            kill_point!(self.kill_points, "claws.saga.before_step");
            return self.workspace_step(&lease, &saga).await;
        }
        let (Some(kind), Some(step)) =
            (Kind::from_stored(&saga.kind), Step::from_stored(&saga.step))
        else {
            return self
                .postpone(&lease, &saga, "written by a newer gateway")
                .await;
        };
        kill_point!(self.kill_points, "claws.saga.before_step");
        let scope = WorkspaceScope::of_row(saga.workspace_id);
        let claw = ClawId(saga.subject_id);
        if step == Step::Sandbox
            && let Err(error) = self.destroy(scope, claw).await?
        {
            return self.postpone(&lease, &saga, &error).await;
        }
        kill_point!(self.kill_points, "claws.saga.after_effect");
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        if step == Step::Rows
            && let Some(row) = claws::get(&*tx, scope, claw).await?
        {
            sandboxes::store::remove_of(&*tx, scope, claw).await?;
            brain::store::remove_of(&*tx, scope, claw).await?;
            avatar::store::remove_of(&*tx, scope, claw).await?;
            claws::remove(&*tx, scope, claw).await?;
            let fact = Event::changed(ResourceKind::Claw, claw, row.version + 1);
            events::append(&mut tx, scope.workspace(), now, [fact]).await?;
        }
        store::advance(&tx, &saga, kind.after(step), now).await?;
        if !lease.guard(&tx).await? {
            tracing::info!(saga = %saga.id, "another gateway drives the sagas now; this step is discarded");
            return Ok(false);
        }
        tx.commit().await?;
        kill_point!(self.kill_points, "claws.saga.after_commit");
        Ok(true)
    }

    /// Carries all that is due, then gives the lease back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn carry_all(&self) -> Result<(), sea_orm::DbErr> {
        let mut carried = false;
        while self.one_step().await? {
            carried = true;
        }
        if carried
            && let Some(lease) = Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await?
        {
            lease.release(&self.db).await?;
        }
        Ok(())
    }

    /// Destroys the sandbox, renewing the lease meanwhile; gives up after a while.
    async fn destroy(
        &self,
        scope: WorkspaceScope,
        claw: ClawId,
    ) -> Result<Result<(), String>, sea_orm::DbErr> {
        let work = tokio::time::timeout(STEP_TIMEOUT, (self.destroy_sandbox)(scope, claw));
        tokio::pin!(work);
        loop {
            tokio::select! {
                outcome = &mut work => {
                    return Ok(outcome.unwrap_or_else(|_| Err("no answer in 20 s".to_owned())));
                }
                () = tokio::time::sleep(RENEW_EVERY) => {
                    // Whether it is still ours is decided by the guard of the commit.
                    Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await?;
                }
            }
        }
    }

    pub(super) async fn postpone(
        &self,
        lease: &Lease,
        saga: &saga::Model,
        error: &str,
    ) -> Result<bool, sea_orm::DbErr> {
        let wait = Duration::from_secs(2_u64.saturating_pow(saga.attempts.clamp(0, 8) as u32));
        tracing::warn!(saga = %saga.id, step = saga.step, error, wait_s = wait.as_secs(), "a step failed and will be tried again");
        let tx = self.db.write().await?;
        store::postpone(&tx, saga, error, wait, self.clock.now()).await?;
        if lease.guard(&tx).await? {
            tx.commit().await?;
        }
        Ok(true)
    }
}
