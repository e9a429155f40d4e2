//! The fence: every write of whoever works on a run is conditional on (run, epoch, running, not cancelled). Nothing changed
//! means: stop at once and discard; the run belongs to somebody else, or is over.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Set, Statement,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::entity::{call, run, step};
use super::model::{Status, StepStatus};
use crate::db::{Db, WriteTx};
use crate::domains::auth::WorkspaceScope;
use crate::domains::tools::Pane;
use crate::events::EventId;
use crate::ids::{ClawId, RunId, WorkspaceId};

/// What a model or a step used.
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

/// Why a write was refused.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// Somebody else has the run, or it is over.
    #[error("the run belongs to somebody else now, or is over")]
    Lost,
    /// It shall end.
    #[error("the run was cancelled")]
    Cancelled,
    #[error("database")]
    Db(#[from] DbErr),
}

/// The right to write to a run, as long as nobody took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    pub run: RunId,
    pub workspace: WorkspaceId,
    pub epoch: i64,
}

/// A run whose fence was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Passed {
    pub version: i64,
    /// The database's clock at that moment.
    pub updated_ms: i64,
}

impl Fence {
    /// That of a run as it was read or claimed.
    pub fn of(row: &run::Model) -> Self {
        Self {
            run: row.id,
            workspace: row.workspace_id,
            epoch: row.epoch,
        }
    }

    /// The tenant.
    pub fn scope(&self) -> WorkspaceScope {
        WorkspaceScope::of_row(self.workspace)
    }

    /// Passes the fence in this transaction: the run is kept alive, what was used is added, and the row stays locked until
    /// the commit, so that what is written with it is of the same epoch.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn pass(&self, tx: &WriteTx, used: Used, ended: u32) -> Result<Passed, FenceError> {
        self.pass_at(tx, used, ended, None).await
    }

    /// As [`pass`](Self::pass), and notes where the shells of an agent that begins are in the sandbox's terminal
    /// multiplexer: the same names in every life of the run, so that whoever takes it up is in the same pane.
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
            "UPDATE topology_runs SET updated_ms = {now}, version = version + 1, steps_done = steps_done + $1, \
               tokens_in = tokens_in + $2, tokens_out = tokens_out + $3, cost_microusd = cost_microusd + $4, \
               mux_workspace_id = COALESCE($7, mux_workspace_id), mux_tab_id = COALESCE($8, mux_tab_id), \
               mux_pane_id = COALESCE($9, mux_pane_id) \
             WHERE id = $5 AND epoch = $6 AND status = 'running' AND cancel_requested_ms IS NULL \
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
        let row = run::Entity::find_by_id(self.run).one(&**tx).await?;
        Ok(match row {
            Some(row) if row.epoch == self.epoch && row.cancel_requested_ms.is_some() => {
                FenceError::Cancelled
            }
            _ => FenceError::Lost,
        })
    }

    /// Writes down that steps begin, when the fence was passed. One that has a row already keeps it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin(
        &self,
        tx: &WriteTx,
        passed: Passed,
        steps: &[Begin<'_>],
    ) -> Result<(), DbErr> {
        if steps.is_empty() {
            return Ok(());
        }
        let now = passed.updated_ms;
        let rows = steps.iter().map(|begin| step::ActiveModel {
            run_id: Set(self.run),
            step_key: Set(begin.key.to_owned()),
            lap: Set(begin.lap),
            position: Set(begin.position),
            node: Set(begin.node.to_owned()),
            purpose: Set(begin.purpose.to_owned()),
            agent_id: Set(begin.agent),
            child_run_id: Set(begin.child),
            status: Set(StepStatus::Running.as_str().to_owned()),
            attempt: Set(1),
            output: Set(None),
            error: Set(None),
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
        ]);
        kept.do_nothing();
        step::Entity::insert_many(rows)
            .on_conflict(kept)
            .exec_without_returning(&**tx)
            .await?;
        Ok(())
    }

    /// Ends a step; `false` when it had ended before, and then nothing is changed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end(
        &self,
        tx: &WriteTx,
        key: &str,
        lap: i32,
        ended: &Ended,
    ) -> Result<bool, DbErr> {
        let done = step::Entity::update_many()
            .col_expr(step::Column::Status, Expr::value(ended.status.as_str()))
            .col_expr(step::Column::Output, Expr::value(ended.output.clone()))
            .col_expr(step::Column::Error, Expr::value(ended.error.clone()))
            .col_expr(step::Column::EndedMs, Expr::cust(tx.backend().now_ms()))
            .filter(this_step(self.run, key, lap))
            .filter(step::Column::Status.eq(StepStatus::Running.as_str()))
            .exec(&**tx)
            .await?;
        Ok(done.rows_affected == 1)
    }

    /// Counts one more attempt of a step.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn try_again(
        &self,
        tx: &WriteTx,
        key: &str,
        lap: i32,
        why: &str,
    ) -> Result<(), DbErr> {
        step::Entity::update_many()
            .col_expr(
                step::Column::Attempt,
                Expr::col(step::Column::Attempt).add(1),
            )
            .col_expr(step::Column::Error, Expr::value(why))
            .filter(this_step(self.run, key, lap))
            .exec(&**tx)
            .await?;
        Ok(())
    }

    /// Notes the last event of the run, in the transaction that ends it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn last_event(&self, tx: &WriteTx, id: EventId) -> Result<(), DbErr> {
        run::Entity::update_many()
            .col_expr(run::Column::LastEventId, Expr::value(id.to_string()))
            .filter(run::Column::Id.eq(self.run))
            .exec(&**tx)
            .await?;
        Ok(())
    }

    /// Ends the run; its version then. Completing and failing lose against a cancel that was asked before: `None`, and
    /// nothing is changed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finish(&self, tx: &WriteTx, finish: &Finish) -> Result<Option<i64>, DbErr> {
        let now = tx.backend().now_ms();
        let cancelled = match finish.status {
            Status::Cancelled => "cancel_requested_ms IS NOT NULL",
            _ => "cancel_requested_ms IS NULL",
        };
        let sql = format!(
            "UPDATE topology_runs SET status = $1, result = $2, error = $3, error_code = $4, updated_ms = {now}, \
               ended_ms = {now}, owner = NULL, version = version + 1 \
             WHERE id = $5 AND epoch = $6 AND status = 'running' AND {cancelled} RETURNING version"
        );
        let values = [
            finish.status.as_str().into(),
            finish.result.clone().into(),
            finish.error.clone().into(),
            finish.code.clone().into(),
            self.run.into(),
            self.epoch.into(),
        ];
        let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
        let Some(done) = tx.query_one_raw(statement).await? else {
            return Ok(None);
        };
        step::Entity::update_many()
            .col_expr(
                step::Column::Status,
                Expr::value(StepStatus::Cancelled.as_str()),
            )
            .col_expr(step::Column::EndedMs, Expr::cust(now))
            .filter(step::Column::RunId.eq(self.run))
            .filter(step::Column::Status.eq(StepStatus::Running.as_str()))
            .exec(&**tx)
            .await?;
        done.try_get("", "version").map(Some)
    }
}

/// A step that begins.
#[derive(Debug, Clone, Copy)]
pub struct Begin<'a> {
    pub key: &'a str,
    pub lap: i32,
    pub position: i32,
    pub node: &'a str,
    pub purpose: &'a str,
    pub agent: Option<ClawId>,
    pub child: Option<RunId>,
}

/// How a step ended.
#[derive(Debug, Clone)]
pub struct Ended {
    pub status: StepStatus,
    pub output: Option<String>,
    pub error: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Finish {
    pub status: Status,
    /// JSON.
    pub result: Option<String>,
    pub error: Option<String>,
    pub code: Option<String>,
}

/// What happened inside one step, fenced: model turns and tool results, in their order.
#[derive(Clone)]
pub struct Journal {
    pub db: Db,
    pub fence: Fence,
    pub step: String,
    pub lap: u32,
}

/// An entry of the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    pub index: u32,
    /// `model` or `tool`.
    pub kind: &'static str,
    pub name: String,
    /// JSON.
    pub content: String,
    pub failed: bool,
    pub took_ms: i64,
    pub used: Used,
}

impl Journal {
    /// What was written, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn read(&self) -> Result<Vec<call::Model>, DbErr> {
        super::store::calls_of(self.db.read(), self.fence.run, &self.step, self.lap).await
    }

    /// Adds what a child run used, once: its entry has the first place of the step's journal, which holds nothing else.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn roll_up(&self, child: &run::Model, used: Used) -> Result<(), FenceError> {
        if !self.read().await?.is_empty() {
            return Ok(());
        }
        let entry = Entry {
            index: 0,
            kind: "run",
            name: child.title.clone(),
            content: serde_json::json!({ "run": child.id, "status": child.status }).to_string(),
            failed: child.status != Status::Completed.as_str(),
            took_ms: child.ended_ms.unwrap_or(child.updated_ms) - child.created_ms,
            used,
        };
        let tx = self.db.write().await?;
        self.write_in(&tx, entry).await?;
        run::Entity::update_many()
            .col_expr(run::Column::RolledUp, Expr::value(true))
            .filter(run::Column::Id.eq(child.id))
            .exec(&*tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Writes an entry; its index must be free, which it is for whoever passes the fence.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn write(&self, entry: Entry) -> Result<(), FenceError> {
        let tx = self.db.write().await?;
        self.write_in(&tx, entry).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn write_in(&self, tx: &WriteTx, entry: Entry) -> Result<(), FenceError> {
        let now = self.fence.pass(tx, entry.used, 0).await?.updated_ms;
        let lap = i32::try_from(self.lap).unwrap_or(i32::MAX);
        let row = call::ActiveModel {
            run_id: Set(self.fence.run),
            step_key: Set(self.step.clone()),
            lap: Set(lap),
            idx: Set(i32::try_from(entry.index).unwrap_or(i32::MAX)),
            kind: Set(entry.kind.to_owned()),
            name: Set(entry.name),
            content: Set(entry.content),
            failed: Set(entry.failed),
            started_ms: Set(now - entry.took_ms),
            ended_ms: Set(now),
            tokens_in: Set(entry.used.tokens_in),
            tokens_out: Set(entry.used.tokens_out),
            cost_microusd: Set(entry.used.cost_microusd),
        };
        call::Entity::insert(row)
            .exec_without_returning(&**tx)
            .await?;
        if entry.used != Used::default() {
            let add = |column, more: i64| (column, Expr::col(column).add(more));
            step::Entity::update_many()
                .col_expr(
                    step::Column::TokensIn,
                    add(step::Column::TokensIn, entry.used.tokens_in).1,
                )
                .col_expr(
                    step::Column::TokensOut,
                    add(step::Column::TokensOut, entry.used.tokens_out).1,
                )
                .col_expr(
                    step::Column::CostMicrousd,
                    add(step::Column::CostMicrousd, entry.used.cost_microusd).1,
                )
                .filter(this_step(self.fence.run, &self.step, lap))
                .exec(&**tx)
                .await?;
        }
        Ok(())
    }
}

fn this_step(run: RunId, key: &str, lap: i32) -> sea_orm::Condition {
    sea_orm::Condition::all()
        .add(step::Column::RunId.eq(run))
        .add(step::Column::StepKey.eq(key))
        .add(step::Column::Lap.eq(lap))
}
