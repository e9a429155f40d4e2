//! The statements of a batch. Each covers all writes of the batch, has a text that does not depend on their number, and
//! finds its rows by their keys.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sea_orm::sea_query::ArrayType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement,
    Value,
};

use super::RunWrite;
use crate::runs::entity::state;
use crate::runs::fence::{Finish, Passed, Used};
use crate::runs::journal::stored;
use crate::topology::StepRef;
use roost_platform::db::{Backend, Rows, RowsTable, WriteTx};
use roost_platform::events::EventId;
use roost_platform::ids::{ClawId, RunId};

/// A step that a statement changed.
#[derive(Debug, FromQueryResult)]
pub(super) struct StepRow {
    pub run_id: RunId,
    pub step_key: String,
    pub lap: i32,
    pub shard: i32,
    pub agent_id: Option<ClawId>,
}

impl StepRow {
    /// The run and the step.
    pub fn name(&self) -> (RunId, StepRef) {
        let at = StepRef {
            key: self.step_key.clone(),
            lap: u32::try_from(self.lap).unwrap_or(0),
            shard: u32::try_from(self.shard).unwrap_or(0),
        };
        (self.run_id, at)
    }
}

/// On PostgreSQL, locks these runs in the order of their ids first: a cancellation locks many of them too. Returns the
/// part of the statement that does it, and the mark of the parameter with the ids.
pub(super) fn held(
    tx: &WriteTx,
    table: &mut RowsTable,
    runs: impl Iterator<Item = RunId>,
) -> (String, String) {
    if tx.backend() == Backend::Sqlite {
        return (String::new(), String::new());
    }
    let ids = table.next(array(runs));
    let head = format!(
        "held AS (SELECT run_id AS held_run FROM run_state WHERE run_id = ANY ({ids}) ORDER BY run_id FOR UPDATE)"
    );
    (head, ids)
}

/// On PostgreSQL, locks these runs in the order of their ids.
pub(super) async fn lock(tx: &WriteTx, runs: impl Iterator<Item = RunId>) -> Result<(), DbErr> {
    if tx.backend() == Backend::Postgres {
        let sql = "SELECT run_id FROM run_state WHERE run_id = ANY ($1) ORDER BY run_id FOR UPDATE";
        let lock = Statement::from_sql_and_values(tx.backend().into(), sql, [array(runs)]);
        tx.execute_raw(lock).await?;
    }
    Ok(())
}

fn array(runs: impl Iterator<Item = RunId>) -> Value {
    let ids: BTreeSet<RunId> = runs.collect();
    let ids = ids.into_iter().map(|run| Value::from(run.0)).collect();
    Value::Array(ArrayType::Uuid, Some(Box::new(ids)))
}

/// Those of these runs that must end, with their present epoch.
pub(super) async fn cancelled(
    tx: &WriteTx,
    runs: &BTreeSet<RunId>,
) -> Result<HashSet<(RunId, i64)>, DbErr> {
    if runs.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = state::Entity::find()
        .filter(state::Column::RunId.is_in(runs.iter().copied()))
        .filter(state::Column::CancelRequestedMs.is_not_null())
        .all(&**tx)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.run_id, row.epoch))
        .collect())
}

/// The columns that name a step.
pub(super) fn steps<'a>(
    tx: &WriteTx,
    of: impl Iterator<Item = (RunId, &'a StepRef)> + Clone,
) -> Rows {
    Rows::new(tx.backend())
        .uuid("of_run", of.clone().map(|(run, _)| run.0))
        .text("of_key", of.clone().map(|(_, at)| at.key.clone()))
        .int("of_lap", of.clone().map(|(_, at)| stored(at.lap)))
        .int("of_shard", of.map(|(_, at)| stored(at.shard)))
}

/// The condition for the rows of `run_steps` that a table names. On PostgreSQL it names the runs twice, so that no
/// statistics of an empty table lead to a plan that reads the whole index.
pub(super) fn these_steps(
    tx: &WriteTx,
    table: &mut RowsTable,
    runs: impl Iterator<Item = RunId>,
) -> String {
    let these = "run_steps.run_id = t.of_run AND run_steps.step_key = t.of_key AND run_steps.lap = t.of_lap \
                 AND run_steps.shard = t.of_shard";
    match tx.backend() {
        Backend::Postgres => format!(
            "run_steps.run_id = ANY ({}) AND {these}",
            table.next(array(runs))
        ),
        Backend::Sqlite => these.to_owned(),
    }
}

/// Steps that were parked work again. Returns those that do.
pub(super) async fn resume(
    tx: &WriteTx,
    writes: &[(&RunWrite, Passed)],
) -> Result<Vec<StepRow>, DbErr> {
    let of = |(write, _): &(&RunWrite, Passed)| {
        let run = write.fence.run;
        Vec::from_iter(write.resumes.iter().cloned().map(move |at| (run, at)))
    };
    let resumes: Vec<(RunId, StepRef)> = writes.iter().flat_map(of).collect();
    if resumes.is_empty() {
        return Ok(Vec::new());
    }
    let mut table = steps(tx, resumes.iter().map(|(run, at)| (*run, at))).table("t");
    let these = these_steps(tx, &mut table, resumes.iter().map(|(run, _)| *run));
    let sql = format!(
        "UPDATE run_steps SET status = 'running' FROM {} WHERE {these} AND status = 'waiting' \
         RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    query(tx, sql, table.values).await
}

/// The result of a run that ends.
pub(super) struct Recorded<'a> {
    pub run: RunId,
    pub finish: &'a Finish,
    pub ended_ms: i64,
    pub last_event: Option<EventId>,
}

/// Writes the results of runs that end.
pub(super) async fn record(tx: &WriteTx, results: &[Recorded<'_>]) -> Result<(), DbErr> {
    let finish = || results.iter().map(|result| result.finish);
    let mut table = Rows::new(tx.backend())
        .uuid("of_run", results.iter().map(|result| result.run.0))
        .maybe_text("new_result", finish().map(|finish| finish.result.clone()))
        .maybe_text("new_error", finish().map(|finish| finish.error.clone()))
        .maybe_text("new_code", finish().map(|finish| finish.code.clone()))
        .text(
            "new_outcome",
            finish().map(|finish| finish.decided.outcome.as_str()),
        )
        .text(
            "new_reason",
            finish().map(|finish| finish.decided.reason.clone()),
        )
        .maybe_text(
            "new_evidence",
            finish().map(|finish| finish.decided.evidence_json()),
        )
        .bigint("now_ms", results.iter().map(|result| result.ended_ms))
        .maybe_text(
            "new_last",
            results
                .iter()
                .map(|result| result.last_event.map(|id| id.to_string())),
        )
        .table("t");
    let these = match tx.backend() {
        Backend::Postgres => format!(
            "topology_runs.id = ANY ({}) AND",
            table.next(array(results.iter().map(|result| result.run)))
        ),
        Backend::Sqlite => String::new(),
    };
    let sql = format!(
        "UPDATE topology_runs SET result = t.new_result, error = t.new_error, error_code = t.new_code, \
           outcome = t.new_outcome, outcome_reason = t.new_reason, outcome_evidence = t.new_evidence, \
           ended_ms = t.now_ms, last_event_id = COALESCE(t.new_last, last_event_id) \
         FROM {} WHERE {these} topology_runs.id = t.of_run",
        table.sql
    );
    execute(tx, sql, table.values).await
}

/// Adds what steps used.
pub(super) async fn spend(
    tx: &WriteTx,
    spent: &BTreeMap<(RunId, StepRef), Used>,
) -> Result<(), DbErr> {
    if spent.is_empty() {
        return Ok(());
    }
    let mut table = steps(tx, spent.keys().map(|(run, at)| (*run, at)))
        .bigint("more_in", spent.values().map(|used| used.tokens_in))
        .bigint("more_out", spent.values().map(|used| used.tokens_out))
        .bigint("more_cost", spent.values().map(|used| used.cost_microusd))
        .table("t");
    let these = these_steps(tx, &mut table, spent.keys().map(|(run, _)| *run));
    let sql = format!(
        "UPDATE run_steps SET tokens_in = tokens_in + t.more_in, tokens_out = tokens_out + t.more_out, \
           cost_microusd = cost_microusd + t.more_cost FROM {} WHERE {these}",
        table.sql
    );
    execute(tx, sql, table.values).await
}

/// Clears the waits of steps that go on. Returns the steps that waited.
pub(super) async fn clear_waits(
    tx: &WriteTx,
    writes: &[(&RunWrite, Passed)],
) -> Result<HashSet<(RunId, StepRef)>, DbErr> {
    let waited = writes.iter().filter(|(write, _)| write.waited);
    let waited: Vec<(RunId, &StepRef)> = waited
        .filter_map(|(write, _)| Some((write.fence.run, write.step.as_ref()?)))
        .collect();
    if waited.is_empty() {
        return Ok(HashSet::new());
    }
    let mut table = steps(tx, waited.iter().copied()).table("t");
    let these = these_steps(tx, &mut table, waited.iter().map(|(run, _)| *run));
    let sql = format!(
        "UPDATE run_steps SET error = NULL, away_since_ms = NULL FROM {} WHERE {these} AND away_since_ms IS NOT NULL \
         RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    let back: Vec<StepRow> = query(tx, sql, table.values).await?;
    Ok(back.iter().map(StepRow::name).collect())
}

pub(super) async fn query<R: FromQueryResult>(
    tx: &WriteTx,
    sql: String,
    values: Vec<Value>,
) -> Result<Vec<R>, DbErr> {
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    R::find_by_statement(statement).all(&**tx).await
}

async fn execute(tx: &WriteTx, sql: String, values: Vec<Value>) -> Result<(), DbErr> {
    use sea_orm::ConnectionTrait;
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    tx.execute_raw(statement).await.map(drop)
}
