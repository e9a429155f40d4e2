//! The statements of a batch. Each covers all writes of the batch, has a text that does not depend on their number, and
//! finds its rows by their keys.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sea_orm::sea_query::ArrayType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement,
    Value,
};

use super::batch::{Group, Owner};
use super::{Begin, RunWrite};
use crate::runs::entity::state;
use crate::runs::fence::{Ended, Finish, Passed, Used};
use crate::runs::journal::stored;
use crate::runs::model::Status;
use crate::tools::Pane;
use crate::topology::StepRef;
use roost_platform::db::{Backend, Rows, RowsTable, WriteTx};
use roost_platform::events::EventId;
use roost_platform::ids::{ClawId, RunId};

/// A step that a statement changed.
#[derive(Debug, FromQueryResult)]
pub(super) struct StepRow {
    pub run_id: RunId,
    step_key: String,
    lap: i32,
    shard: i32,
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

#[derive(Debug, FromQueryResult)]
struct PassedRow {
    run_id: RunId,
    epoch: i64,
    status: String,
    version: i64,
    updated_ms: i64,
}

/// Passes the fences of all groups. A group that is not in the result was refused.
pub(super) async fn pass(tx: &WriteTx, groups: &[Group]) -> Result<HashMap<Owner, Passed>, DbErr> {
    let mut table = Rows::new(tx.backend())
        .uuid("of_run", groups.iter().map(|group| group.run.0))
        .bigint("of_epoch", groups.iter().map(|group| group.epoch))
        .bigint("writes", groups.iter().map(|group| group.writes))
        .int("more_done", groups.iter().map(|group| group.done))
        .bigint("more_in", groups.iter().map(|group| group.used.tokens_in))
        .bigint("more_out", groups.iter().map(|group| group.used.tokens_out))
        .bigint(
            "more_cost",
            groups.iter().map(|group| group.used.cost_microusd),
        )
        .maybe_text(
            "new_status",
            groups
                .iter()
                .map(|group| group.ends.map(|status| status.as_str().to_owned())),
        )
        .bool("of_cancelled", groups.iter().map(Group::of_cancelled))
        .maybe_text("new_tab", panes(groups, Pane::window))
        .maybe_text("new_pane", panes(groups, Pane::name))
        .table("t");
    let now = tx.backend().now_ms();
    let (held, ids) = held(tx, &mut table, groups.iter().map(|group| group.run));
    let session = table.next(Pane::SESSION);
    let sql = format!(
        "{held} UPDATE run_state SET updated_ms = {now}, version = version + t.writes, steps_done = steps_done + t.more_done, \
           tokens_in = tokens_in + t.more_in, tokens_out = tokens_out + t.more_out, \
           cost_microusd = cost_microusd + t.more_cost, status = COALESCE(t.new_status, status), \
           owner = CASE WHEN t.new_status IS NULL THEN owner END, \
           mux_workspace_id = CASE WHEN t.new_tab IS NULL THEN mux_workspace_id ELSE {session} END, \
           mux_tab_id = COALESCE(t.new_tab, mux_tab_id), mux_pane_id = COALESCE(t.new_pane, mux_pane_id) \
         FROM {table} {of_held} run_state.run_id = t.of_run AND epoch = t.of_epoch AND status = 'running' \
           AND (cancel_requested_ms IS NOT NULL) = t.of_cancelled RETURNING run_id, epoch, status, version, updated_ms",
        table = table.sql,
        of_held = match tx.backend() {
            Backend::Postgres =>
                format!("JOIN held ON held_run = t.of_run WHERE run_state.run_id = ANY ({ids}) AND"),
            Backend::Sqlite => "WHERE".to_owned(),
        },
    );
    let rows: Vec<PassedRow> = query(tx, sql, table.values).await?;
    let passed = rows.into_iter().map(|row| {
        let passed = Passed {
            version: row.version,
            updated_ms: row.updated_ms,
        };
        let ends_cancelled = row.status == Status::Cancelled.as_str();
        ((row.run_id, row.epoch, ends_cancelled), passed)
    });
    Ok(passed.collect())
}

fn panes<'a>(
    groups: &'a [Group],
    part: fn(&Pane) -> &str,
) -> impl Iterator<Item = Option<String>> + 'a {
    let of = move |group: &Group| group.pane.as_ref().map(|pane| part(pane).to_owned());
    groups.iter().map(of)
}

/// On PostgreSQL, locks these runs in the order of their ids first: a cancellation locks many of them too. Returns the
/// statement's head, and the mark of the parameter with the ids.
fn held(
    tx: &WriteTx,
    table: &mut RowsTable,
    runs: impl Iterator<Item = RunId>,
) -> (String, String) {
    if tx.backend() == Backend::Sqlite {
        return (String::new(), String::new());
    }
    let ids = table.next(array(runs));
    let head = format!(
        "WITH held AS (SELECT run_id AS held_run FROM run_state WHERE run_id = ANY ({ids}) ORDER BY run_id FOR UPDATE)"
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
fn steps<'a>(tx: &WriteTx, of: impl Iterator<Item = (RunId, &'a StepRef)> + Clone) -> Rows {
    Rows::new(tx.backend())
        .uuid("of_run", of.clone().map(|(run, _)| run.0))
        .text("of_key", of.clone().map(|(_, at)| at.key.clone()))
        .int("of_lap", of.clone().map(|(_, at)| stored(at.lap)))
        .int("of_shard", of.map(|(_, at)| stored(at.shard)))
}

/// The condition for the rows of `run_steps` that a table names. On PostgreSQL it names the runs twice, so that no
/// statistics of an empty table lead to a plan that reads the whole index.
fn these_steps(tx: &WriteTx, table: &mut RowsTable, runs: impl Iterator<Item = RunId>) -> String {
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

/// Ends the steps that are running. Returns those that end now.
pub(super) async fn end(
    tx: &WriteTx,
    writes: &[(&RunWrite, Passed)],
) -> Result<Vec<StepRow>, DbErr> {
    let ends: Vec<(RunId, i64, &StepRef, &Ended)> = writes
        .iter()
        .flat_map(|(write, passed)| {
            let of = move |(at, ended)| (write.fence.run, passed.updated_ms, at, ended);
            write.ends.iter().map(|(at, ended)| (at, ended)).map(of)
        })
        .collect();
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let mut table = steps(tx, ends.iter().map(|(run, _, at, _)| (*run, *at)))
        .text(
            "new_status",
            ends.iter().map(|(.., ended)| ended.status.as_str()),
        )
        .maybe_text(
            "new_output",
            ends.iter().map(|(.., ended)| ended.output.clone()),
        )
        .maybe_text(
            "new_error",
            ends.iter().map(|(.., ended)| ended.error.clone()),
        )
        .maybe_text(
            "new_outcome",
            ends.iter()
                .map(|(.., ended)| ended.outcome.map(|outcome| outcome.as_str().to_owned())),
        )
        .bigint("now_ms", ends.iter().map(|(_, now, ..)| *now))
        .table("t");
    let these = these_steps(tx, &mut table, ends.iter().map(|(run, ..)| *run));
    let sql = format!(
        "UPDATE run_steps SET status = t.new_status, output = t.new_output, error = t.new_error, outcome = t.new_outcome, \
           ended_ms = t.now_ms \
         FROM {} WHERE {these} AND status = 'running' RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    query(tx, sql, table.values).await
}

/// Begins steps. A row that exists stays unchanged. Returns the steps that begin now.
pub(super) async fn begin(
    tx: &WriteTx,
    writes: &[(&RunWrite, Passed)],
) -> Result<Vec<StepRow>, DbErr> {
    let begins: Vec<(RunId, i64, &Begin)> = writes
        .iter()
        .flat_map(|(write, passed)| {
            let of = move |begin| (write.fence.run, passed.updated_ms, begin);
            write.begins.iter().map(of)
        })
        .collect();
    if begins.is_empty() {
        return Ok(Vec::new());
    }
    let table = steps(tx, begins.iter().map(|(run, _, begin)| (*run, &begin.at)))
        .int("position", begins.iter().map(|(.., begin)| begin.position))
        .text("node", begins.iter().map(|(.., begin)| begin.node.clone()))
        .text("purpose", begins.iter().map(|(.., begin)| begin.purpose))
        .maybe_uuid(
            "agent_id",
            begins.iter().map(|(.., begin)| begin.agent.map(|id| id.0)),
        )
        .bigint("now_ms", begins.iter().map(|(_, now, _)| *now))
        .table("t");
    let sql = format!(
        "INSERT INTO run_steps (run_id, step_key, lap, shard, position, node, purpose, agent_id, status, attempt, started_ms, \
           tokens_in, tokens_out, cost_microusd) \
         SELECT of_run, of_key, of_lap, of_shard, position, node, purpose, agent_id, 'running', 1, now_ms, 0, 0, 0 \
         FROM {} WHERE TRUE ON CONFLICT (run_id, step_key, lap, shard) DO NOTHING RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    query(tx, sql, table.values).await
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

/// Inserts the entries of journals. Their indexes are free for every writer that passes the fence.
pub(super) async fn journal(tx: &WriteTx, writes: &[(&RunWrite, Passed)]) -> Result<(), DbErr> {
    let entries: Vec<_> = writes
        .iter()
        .filter_map(|(write, passed)| {
            let (at, entry) = (write.step.as_ref()?, write.entry.as_ref()?);
            Some((write.fence.run, at, entry, passed.updated_ms, write.used))
        })
        .collect();
    if entries.is_empty() {
        return Ok(());
    }
    let table = steps(tx, entries.iter().map(|(run, at, ..)| (*run, *at)))
        .int("idx", entries.iter().map(|(_, _, entry, ..)| entry.index))
        .text("kind", entries.iter().map(|(_, _, entry, ..)| entry.kind))
        .text(
            "name",
            entries.iter().map(|(_, _, entry, ..)| entry.name.clone()),
        )
        .text(
            "content",
            entries
                .iter()
                .map(|(_, _, entry, ..)| entry.content.clone()),
        )
        .bool(
            "failed",
            entries.iter().map(|(_, _, entry, ..)| entry.failed),
        )
        .bigint(
            "from_ms",
            entries
                .iter()
                .map(|(_, _, entry, now, _)| now - entry.took_ms),
        )
        .bigint("now_ms", entries.iter().map(|(.., now, _)| *now))
        .bigint("more_in", entries.iter().map(|(.., used)| used.tokens_in))
        .bigint("more_out", entries.iter().map(|(.., used)| used.tokens_out))
        .bigint(
            "more_cost",
            entries.iter().map(|(.., used)| used.cost_microusd),
        )
        .table("t");
    let sql = format!(
        "INSERT INTO run_calls (run_id, step_key, lap, shard, idx, kind, name, content, failed, started_ms, ended_ms, \
           tokens_in, tokens_out, cost_microusd) \
         SELECT of_run, of_key, of_lap, of_shard, idx, kind, name, content, failed, from_ms, now_ms, more_in, more_out, more_cost \
         FROM {}",
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

async fn query<R: FromQueryResult>(
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
