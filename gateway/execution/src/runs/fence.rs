//! The fence: every write of a run's owner is conditional on (run, epoch, running, not cancelled). When the statement
//! changes no row, the owner must stop at once and discard its work: another gateway owns the run, or the run is
//! over.

use std::time::Duration;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryResult,
    QueryTrait, Set, Statement,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::dto::at;
use super::entity::{record, run, state, step};
use super::journal::stored;
use super::model::{Status, StepStatus};
use super::origin::OriginWord;
use super::outcome::{Decided, Outcome};
use crate::tools::Pane;
use crate::topology::StepRef;
use roost_platform::db::{Db, WriteTx};
use roost_platform::events::{self, About, Event, EventId, ResourceKind, Stamped};
use roost_platform::ids::{ClawId, RunId, WorkspaceId};
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
        self.pass_at(tx, used, ended, None).await
    }

    /// As [`pass`](Self::pass), and records the location of a starting agent's shells in the sandbox's terminal
    /// multiplexer. The names stay the same over all owners of the run, so each owner uses the same pane.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn pass_at(
        &self,
        tx: &WriteTx,
        used: Used,
        ended: u32,
        pane: Option<&Pane>,
    ) -> Result<Passed, FenceError> {
        let now = tx.backend().now_ms();
        let sql = format!(
            "UPDATE run_state SET updated_ms = {now}, version = version + 1, steps_done = steps_done + $1, \
               tokens_in = tokens_in + $2, tokens_out = tokens_out + $3, cost_microusd = cost_microusd + $4, \
               mux_workspace_id = COALESCE($7, mux_workspace_id), mux_tab_id = COALESCE($8, mux_tab_id), \
               mux_pane_id = COALESCE($9, mux_pane_id) \
             WHERE run_id = $5 AND epoch = $6 AND status = 'running' AND cancel_requested_ms IS NULL \
             RETURNING version, updated_ms"
        );
        let values = [
            i32::try_from(ended).unwrap_or(i32::MAX).into(),
            used.tokens_in.into(),
            used.tokens_out.into(),
            used.cost_microusd.into(),
            self.run.into(),
            self.epoch.into(),
            pane.map(|_| Pane::SESSION).into(),
            pane.map(Pane::window).into(),
            pane.map(Pane::name).into(),
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

    /// Inserts the rows of steps that begin, after the fence was passed. An existing row stays unchanged. Returns the
    /// agents of the steps that begin now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin(
        &self,
        tx: &WriteTx,
        passed: Passed,
        steps: &[Begin<'_>],
    ) -> Result<Vec<ClawId>, DbErr> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let now = passed.updated_ms;
        let rows = steps.iter().map(|begin| step::ActiveModel {
            run_id: Set(self.run),
            step_key: Set(begin.at.key.clone()),
            lap: Set(stored(begin.at.lap)),
            shard: Set(stored(begin.at.shard)),
            position: Set(begin.position),
            node: Set(begin.node.to_owned()),
            purpose: Set(begin.purpose.to_owned()),
            agent_id: Set(begin.agent),
            status: Set(StepStatus::Running.as_str().to_owned()),
            attempt: Set(1),
            away_since_ms: Set(None),
            output: Set(None),
            error: Set(None),
            outcome: Set(None),
            started_ms: Set(now),
            ended_ms: Set(None),
            tokens_in: Set(0),
            tokens_out: Set(0),
            cost_microusd: Set(0),
        });
        let mut kept = OnConflict::columns([
            step::Column::RunId,
            step::Column::StepKey,
            step::Column::Lap,
            step::Column::Shard,
        ]);
        kept.do_nothing();
        let mut begin = step::Entity::insert_many(rows)
            .on_conflict(kept)
            .into_query();
        begin.returning_col(step::Column::AgentId);
        agents_of(tx.query_all(&begin).await?)
    }

    /// Ends a step, and returns its agent. Nothing is changed when it had ended before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end(
        &self,
        tx: &WriteTx,
        at: &StepRef,
        ended: &Ended,
    ) -> Result<Vec<ClawId>, DbErr> {
        let mut end = step::Entity::update_many()
            .col_expr(step::Column::Status, Expr::value(ended.status.as_str()))
            .col_expr(step::Column::Output, Expr::value(ended.output.clone()))
            .col_expr(step::Column::Error, Expr::value(ended.error.clone()))
            .col_expr(
                step::Column::Outcome,
                Expr::value(ended.outcome.map(Outcome::as_str)),
            )
            .col_expr(step::Column::EndedMs, Expr::cust(tx.backend().now_ms()))
            .filter(this_step(self.run, at))
            .filter(step::Column::Status.eq(StepStatus::Running.as_str()))
            .into_query();
        end.returning_col(step::Column::AgentId);
        agents_of(tx.query_all(&end).await?)
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

    /// Records the run's last event, in the transaction that ends the run.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn last_event(&self, tx: &WriteTx, id: EventId) -> Result<(), DbErr> {
        record::Entity::update_many()
            .col_expr(record::Column::LastEventId, Expr::value(id.to_string()))
            .filter(record::Column::Id.eq(self.run))
            .exec(&**tx)
            .await?;
        Ok(())
    }

    /// Ends the run together with the step that ended it. If a cancellation was requested before, the run cannot
    /// complete or fail, and nothing is changed.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn finish(
        &self,
        tx: &WriteTx,
        ended: Option<&(StepRef, Ended)>,
        finish: &Finish,
    ) -> Result<Finished, FenceError> {
        let now = tx.backend().now_ms();
        let cancelled = match finish.status {
            Status::Cancelled => "cancel_requested_ms IS NOT NULL",
            _ => "cancel_requested_ms IS NULL",
        };
        let sql = format!(
            "UPDATE run_state SET status = $1, updated_ms = {now}, owner = NULL, version = version + 1, \
               steps_done = steps_done + $4 \
             WHERE run_id = $2 AND epoch = $3 AND status = 'running' AND {cancelled} RETURNING version, updated_ms"
        );
        let values = [
            finish.status.as_str().into(),
            self.run.into(),
            self.epoch.into(),
            i32::from(ended.is_some_and(|(_, ended)| ended.is_done())).into(),
        ];
        let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
        let Some(passed) = Passed::find_by_statement(statement).one(&**tx).await? else {
            return Err(self.why(tx).await?);
        };
        record::Entity::update_many()
            .col_expr(record::Column::Result, Expr::value(finish.result.clone()))
            .col_expr(record::Column::Error, Expr::value(finish.error.clone()))
            .col_expr(record::Column::ErrorCode, Expr::value(finish.code.clone()))
            .col_expr(
                record::Column::Outcome,
                Expr::value(finish.decided.outcome.as_str()),
            )
            .col_expr(
                record::Column::OutcomeReason,
                Expr::value(finish.decided.reason.clone()),
            )
            .col_expr(
                record::Column::OutcomeEvidence,
                Expr::value(finish.decided.evidence_json()),
            )
            .col_expr(record::Column::EndedMs, Expr::value(passed.updated_ms))
            .filter(record::Column::Id.eq(self.run))
            .exec(&**tx)
            .await?;
        let mut rested = Vec::new();
        if let Some((at, ended)) = ended {
            rested = self.end(tx, at, ended).await?;
        }
        rested.extend(super::queue::close_steps(tx, &[self.run]).await?);
        Ok(Finished {
            version: passed.version,
            rested,
        })
    }
}

/// The effect of the end of a run.
#[derive(Debug)]
pub struct Finished {
    pub version: i64,
    /// The agents of the steps that ended with it, one entry for each step.
    pub rested: Vec<ClawId>,
}

/// The agents of the steps that a statement changed, one entry for each step.
pub(super) fn agents_of(rows: Vec<QueryResult>) -> Result<Vec<ClawId>, DbErr> {
    let agents = rows.iter().map(|row| row.try_get("", "agent_id"));
    let agents: Vec<Option<ClawId>> = agents.collect::<Result<_, _>>()?;
    Ok(agents.into_iter().flatten().collect())
}

/// A step to begin.
#[derive(Debug, Clone, Copy)]
pub struct Begin<'a> {
    pub at: &'a StepRef,
    pub position: i32,
    pub node: &'a str,
    pub purpose: &'a str,
    pub agent: Option<ClawId>,
}

/// The end of a step.
#[derive(Debug, Clone)]
pub struct Ended {
    pub status: StepStatus,
    pub output: Option<String>,
    pub error: Option<String>,
    /// The outcome of a step that was a run of its own.
    pub outcome: Option<Outcome>,
}

impl Ended {
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
