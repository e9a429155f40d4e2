//! The fence: every write of a run's owner is conditional on (run, epoch, running, not cancelled). When the statement
//! changes no row, the owner must stop at once and discard its work: another gateway owns the run, or the run is
//! over.

use std::time::Duration;

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement,
    sea_query::{Expr, ExprTrait},
};

use super::dto::at;
use super::entity::{run, state, step};
use super::inbox::Inbox;
use super::journal::stored;
use super::model::{Status, StepStatus};
use super::origin::OriginWord;
use super::outcome::{Decided, Outcome};
use crate::topology::{Checked, StepRef};
use roost_platform::db::{Db, WriteTx};
use roost_platform::events::{self, About, Event, ResourceKind, Stamped};
use roost_platform::ids::{RunId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// The tokens and the cost of a model turn or a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_microusd: i64,
}

impl std::ops::AddAssign for Used {
    fn add_assign(&mut self, more: Self) {
        self.tokens_in += more.tokens_in;
        self.tokens_out += more.tokens_out;
        self.cost_microusd += more.cost_microusd;
    }
}

/// Why the fence refused a write.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// Another gateway owns the run, or the run is over.
    #[error("another gateway owns the run, or the run has ended")]
    Lost,
    /// The run must end.
    #[error("the run was cancelled")]
    Cancelled,
    #[error("database")]
    Db(#[from] DbErr),
}

/// The right to write to a run, until another gateway claims it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    pub run: RunId,
    pub workspace: WorkspaceId,
    pub epoch: i64,
    pub origin: OriginWord,
    /// What the run's events belong to.
    pub about: About,
}

/// The result of a passed fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Passed {
    pub version: i64,
    /// The database's clock at that moment.
    pub updated_ms: i64,
    /// What people want of the run at that moment.
    #[sea_orm(nested)]
    pub inbox: Inbox,
}

impl Fence {
    /// The fence of a run as it was read or claimed.
    ///
    /// # Errors
    /// When the stored origin is invalid.
    pub fn of(row: &run::Model) -> Result<Self, DbErr> {
        Ok(Self {
            run: row.id,
            workspace: row.workspace_id,
            epoch: row.epoch,
            origin: row.comes_from()?.word(),
            about: row.about(),
        })
    }

    /// The event that the run has changed.
    pub fn changed(&self, version: i64) -> Stamped {
        Event::changed(ResourceKind::Run, self.run, version).about(self.about)
    }

    /// The tenant.
    pub fn scope(&self) -> WorkspaceScope {
        WorkspaceScope::of_row(self.workspace)
    }

    /// Passes the fence in this transaction. It renews the run's sign of life and adds the usage. The row stays
    /// locked until the commit, so all writes of the transaction belong to the same epoch.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn pass(&self, tx: &WriteTx, used: Used, ended: u32) -> Result<Passed, FenceError> {
        let now = tx.backend().now_ms();
        let sql = format!(
            "UPDATE run_state SET updated_ms = {now}, version = version + 1, steps_done = steps_done + $1, \
               tokens_in = tokens_in + $2, tokens_out = tokens_out + $3, cost_microusd = cost_microusd + $4 \
             WHERE run_id = $5 AND epoch = $6 AND status = 'running' AND cancel_requested_ms IS NULL \
             RETURNING version, updated_ms, messages, paused_ms IS NOT NULL AS paused"
        );
        let values = [
            i32::try_from(ended).unwrap_or(i32::MAX).into(),
            used.tokens_in.into(),
            used.tokens_out.into(),
            used.cost_microusd.into(),
            self.run.into(),
            self.epoch.into(),
        ];
        let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
        match Passed::find_by_statement(statement).one(&**tx).await? {
            Some(passed) => Ok(passed),
            None => Err(self.why(tx).await?),
        }
    }

    async fn why(&self, tx: &WriteTx) -> Result<FenceError, DbErr> {
        let row = state::Entity::find_by_id(self.run).one(&**tx).await?;
        Ok(match row {
            Some(row) if row.epoch == self.epoch && row.cancel_requested_ms.is_some() => {
                FenceError::Cancelled
            }
            _ => FenceError::Lost,
        })
    }

    /// Counts one more attempt of a step, and publishes the change.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn try_again(
        &self,
        tx: &mut WriteTx,
        passed: Passed,
        step: &StepRef,
        why: &str,
    ) -> Result<(), DbErr> {
        step::Entity::update_many()
            .col_expr(
                step::Column::Attempt,
                Expr::col(step::Column::Attempt).add(1),
            )
            .col_expr(step::Column::Error, Expr::value(why))
            .col_expr(step::Column::AwaySinceMs, Expr::value(None::<i64>))
            .filter(this_step(self.run, step))
            .exec(&**tx)
            .await?;
        self.publish(tx, passed).await
    }

    /// Records that a step waits for something that is away, and publishes a change of the reason. Returns how long
    /// the wait has lasted. A wait from before `taken_up_ms` starts again, because no gateway checked in between.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn wait(
        &self,
        tx: &mut WriteTx,
        passed: Passed,
        step: &StepRef,
        why: &str,
        taken_up_ms: i64,
    ) -> Result<Duration, DbErr> {
        let this = this_step(self.run, step);
        let row = step::Entity::find().filter(this.clone()).one(&**tx).await?;
        let known = row.filter(|row| row.away_since_ms.is_some_and(|since| since >= taken_up_ms));
        let since = known
            .as_ref()
            .and_then(|row| row.away_since_ms)
            .unwrap_or(passed.updated_ms);
        if known.and_then(|row| row.error).as_deref() != Some(why) {
            step::Entity::update_many()
                .col_expr(step::Column::Error, Expr::value(why))
                .col_expr(step::Column::AwaySinceMs, Expr::value(since))
                .filter(this)
                .exec(&**tx)
                .await?;
            self.publish(tx, passed).await?;
        }
        let away = passed.updated_ms - since;
        Ok(Duration::from_millis(u64::try_from(away).unwrap_or(0)))
    }

    /// Clears the step's `away_since_ms`, and publishes the change if it was set.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn clear_wait(
        &self,
        tx: &mut WriteTx,
        passed: Passed,
        step: &StepRef,
    ) -> Result<(), DbErr> {
        let waited = step::Entity::update_many()
            .col_expr(step::Column::Error, Expr::value(None::<String>))
            .col_expr(step::Column::AwaySinceMs, Expr::value(None::<i64>))
            .filter(this_step(self.run, step))
            .filter(step::Column::AwaySinceMs.is_not_null())
            .exec(&**tx)
            .await?;
        if waited.rows_affected == 1 {
            self.publish(tx, passed).await?;
        }
        Ok(())
    }

    /// Publishes that a resumed run works again.
    ///
    /// # Errors
    /// When the database fails. A run that another gateway owns is not an error here.
    pub(super) async fn resumed(&self, db: &Db) -> Result<(), DbErr> {
        let mut tx = db.write().await?;
        match self.pass(&tx, Used::default(), 0).await {
            Ok(passed) => self.publish(&mut tx, passed).await?,
            Err(FenceError::Lost | FenceError::Cancelled) => return Ok(()),
            Err(FenceError::Db(error)) => return Err(error),
        }
        tx.commit().await
    }

    /// Publishes that the run has changed.
    async fn publish(&self, tx: &mut WriteTx, passed: Passed) -> Result<(), DbErr> {
        let fact = self.changed(passed.version);
        events::append(tx, self.workspace, at(passed.updated_ms), [fact]).await
    }
}

/// The end of a step.
#[derive(Debug, Clone)]
pub struct Ended {
    pub status: StepStatus,
    pub output: Option<String>,
    pub error: Option<String>,
    /// The outcome of a step that was a run of its own.
    pub outcome: Option<Outcome>,
    pub checks: Vec<Checked>,
}

impl Ended {
    /// The stored form of the checks.
    pub(super) fn checks_json(&self) -> Option<String> {
        let checks = Some(&self.checks).filter(|checks| !checks.is_empty())?;
        serde_json::to_string(checks).ok()
    }

    /// Whether the step produced an output.
    pub fn is_done(&self) -> bool {
        self.status == StepStatus::Done
    }
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Finish {
    pub status: Status,
    /// JSON.
    pub result: Option<String>,
    pub error: Option<String>,
    pub code: Option<String>,
    pub decided: Decided,
}

/// The condition for the row of a step.
pub(super) fn this_step(run: RunId, at: &StepRef) -> sea_orm::Condition {
    sea_orm::Condition::all()
        .add(step::Column::RunId.eq(run))
        .add(step::Column::StepKey.eq(&*at.key))
        .add(step::Column::Lap.eq(stored(at.lap)))
        .add(step::Column::Shard.eq(stored(at.shard)))
}
