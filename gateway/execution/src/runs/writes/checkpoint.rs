//! The fences of a batch, and what is written behind them: steps that end, steps that begin, entries of journals.
//! PostgreSQL gets all of it as one statement, because each statement is a round trip while the runs are locked. SQLite
//! gets one statement for each part. The parts are the same.

use std::collections::HashMap;

use sea_orm::{DbErr, FromQueryResult, Value};

use super::batch::{self, Group, Owner};
use super::store::{StepRow, held, query, steps, these_steps};
use super::{Begin, Entry, RunWrite};
use crate::runs::fence::{Ended, Passed};
use crate::runs::inbox::Inbox;
use crate::runs::model::Status;
use crate::tools::Pane;
use crate::topology::StepRef;
use roost_platform::db::{Backend, Rows, WriteTx};
use roost_platform::ids::{ClawId, RunId};

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Checkpoint {
    /// The fences that passed.
    pub passed: HashMap<Owner, Passed>,
    /// Steps that ended now.
    pub ended: Vec<StepRow>,
    /// Steps that began now.
    pub begun: Vec<StepRow>,
}

/// Passes the fences of a batch, and writes behind those that pass. An owner that is not in the result was refused.
///
/// # Errors
/// When the database fails.
pub(super) async fn write(tx: &WriteTx, writes: &[&RunWrite]) -> Result<Checkpoint, DbErr> {
    let groups = batch::groups(writes);
    match tx.backend() {
        Backend::Postgres => {
            let behind = Behind::of(writes, |write| Some((batch::owner(write), 0)));
            together(tx, &groups, &behind).await
        }
        Backend::Sqlite => one_by_one(tx, writes, &groups).await,
    }
}

async fn together(
    tx: &WriteTx,
    groups: &[Group],
    behind: &Behind<'_>,
) -> Result<Checkpoint, DbErr> {
    let (held, fences, mut values) = fences(tx, groups);
    let mut with = vec![held, format!("passed AS ({fences})")];
    let mut select = "SELECT 'passed' AS part, passed_run AS run_id, passed_epoch AS epoch, passed_status AS status, \
                      passed_version AS version, passed_ms AS updated_ms, \
                      passed_messages AS messages, passed_paused AS paused, NULL AS step_key, NULL::int AS lap, \
                      NULL::int AS shard, NULL::uuid AS agent_id FROM passed"
        .to_owned();
    for part in [Part::Ended, Part::Begun, Part::Journaled] {
        let Some(sql) = behind.part(tx, part, &mut values) else {
            continue;
        };
        let name = part.name();
        with.push(format!("{name} AS ({sql})"));
        if part != Part::Journaled {
            select.push_str(&format!(
                " UNION ALL SELECT '{name}', run_id, 0, '', 0, 0, 0, FALSE, step_key, lap, shard, agent_id FROM {name}"
            ));
        }
    }
    let sql = format!("WITH {} {select}", with.join(", "));
    let mut checkpoint = Checkpoint::default();
    for row in query::<Row>(tx, sql, values).await? {
        match row.part.as_str() {
            "passed" => checkpoint.passed.extend([row.passed()]),
            "ended" => checkpoint.ended.extend(row.step()),
            _ => checkpoint.begun.extend(row.step()),
        }
    }
    Ok(checkpoint)
}

async fn one_by_one(
    tx: &WriteTx,
    writes: &[&RunWrite],
    groups: &[Group],
) -> Result<Checkpoint, DbErr> {
    let (_, sql, values) = fences(tx, groups);
    let passed = query::<PassedRow>(tx, sql, values).await?;
    let passed: HashMap<Owner, Passed> = passed.iter().map(PassedRow::passed).collect();
    let behind = Behind::of(writes, |write| {
        let owner = batch::owner(write);
        Some((owner, passed.get(&owner)?.updated_ms))
    });
    let mut checkpoint = Checkpoint {
        passed,
        ..Checkpoint::default()
    };
    for part in [Part::Ended, Part::Begun, Part::Journaled] {
        let mut values = Vec::new();
        if let Some(sql) = behind.part(tx, part, &mut values) {
            let rows: Vec<StepRow> = query(tx, sql, values).await?;
            match part {
                Part::Ended => checkpoint.ended = rows,
                Part::Begun => checkpoint.begun = rows,
                Part::Journaled => {}
            }
        }
    }
    Ok(checkpoint)
}

/// A part that is written behind the fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Ended,
    Begun,
    Journaled,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Begun => "begun",
            Self::Journaled => "journaled",
        }
    }
}

/// A row of a part, with its owner and, where the fence has passed already, the time of the fence.
type Of<'a, T> = (Owner, i64, &'a StepRef, T);

/// The rows of each part.
struct Behind<'a> {
    ends: Vec<Of<'a, &'a Ended>>,
    begins: Vec<Of<'a, &'a Begin>>,
    entries: Vec<Of<'a, (&'a Entry, &'a RunWrite)>>,
}

impl<'a> Behind<'a> {
    /// The rows of the writes that come before the end of their run, and that `of` lets through.
    fn of(writes: &[&'a RunWrite], of: impl Fn(&RunWrite) -> Option<(Owner, i64)>) -> Self {
        let mut behind = Self {
            ends: Vec::new(),
            begins: Vec::new(),
            entries: Vec::new(),
        };
        for (write, in_time) in writes.iter().zip(batch::in_time(writes)) {
            let Some((owner, now)) = of(write).filter(|_| in_time) else {
                continue;
            };
            let ends = write.ends.iter();
            behind
                .ends
                .extend(ends.map(|(at, ended)| (owner, now, at, ended)));
            let begins = write.begins.iter();
            behind
                .begins
                .extend(begins.map(|begin| (owner, now, &begin.at, begin)));
            if let (Some(at), Some(entry)) = (&write.step, &write.entry) {
                behind.entries.push((owner, now, at, (entry, write)));
            }
        }
        behind
    }

    /// The statement of a part, if it has rows. Its values are added to these.
    fn part(&self, tx: &WriteTx, part: Part, values: &mut Vec<Value>) -> Option<String> {
        let before = std::mem::take(values);
        let (sql, after) = match part {
            Part::Ended if !self.ends.is_empty() => ended(tx, &self.ends, before),
            Part::Begun if !self.begins.is_empty() => begun(tx, &self.begins, before),
            Part::Journaled if !self.entries.is_empty() => journaled(tx, &self.entries, before),
            _ => {
                *values = before;
                return None;
            }
        };
        *values = after;
        Some(sql)
    }
}

/// The columns that name the steps and their owners. On SQLite the owners have passed, and the time of their fence is
/// known.
fn owned<T>(tx: &WriteTx, rows: &[Of<'_, T>]) -> Rows {
    let columns = steps(tx, rows.iter().map(|((run, ..), _, at, _)| (*run, *at)));
    match tx.backend() {
        Backend::Postgres => columns
            .bigint("of_epoch", rows.iter().map(|((_, epoch, _), ..)| *epoch))
            .bool(
                "of_cancelled",
                rows.iter().map(|((.., cancelled), ..)| *cancelled),
            ),
        Backend::Sqlite => columns.bigint("now_ms", rows.iter().map(|(_, now, ..)| *now)),
    }
}

/// Joins a table of [`owned`] with the fences that passed. Returns the join, and the time of the fence.
fn behind_fence(tx: &WriteTx) -> (&'static str, &'static str) {
    match tx.backend() {
        Backend::Postgres => (
            "JOIN passed ON passed_run = t.of_run AND passed_epoch = t.of_epoch \
             AND (passed_status = 'cancelled') = t.of_cancelled",
            "passed_ms",
        ),
        Backend::Sqlite => ("", "t.now_ms"),
    }
}

/// Passes the fences of all groups. Returns what must precede the statement on PostgreSQL, the statement, and its
/// values.
fn fences(tx: &WriteTx, groups: &[Group]) -> (String, String, Vec<Value>) {
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
        "UPDATE run_state SET updated_ms = {now}, version = version + t.writes, steps_done = steps_done + t.more_done, \
           tokens_in = tokens_in + t.more_in, tokens_out = tokens_out + t.more_out, \
           cost_microusd = cost_microusd + t.more_cost, status = COALESCE(t.new_status, status), \
           owner = CASE WHEN t.new_status IS NULL THEN owner END, \
           mux_workspace_id = CASE WHEN t.new_tab IS NULL THEN mux_workspace_id ELSE {session} END, \
           mux_tab_id = COALESCE(t.new_tab, mux_tab_id), mux_pane_id = COALESCE(t.new_pane, mux_pane_id) \
         FROM {table} {of_held} run_state.run_id = t.of_run AND epoch = t.of_epoch AND status = 'running' \
           AND (cancel_requested_ms IS NOT NULL) = t.of_cancelled RETURNING run_id AS passed_run, \
           epoch AS passed_epoch, status AS passed_status, version AS passed_version, updated_ms AS passed_ms, \
           messages AS passed_messages, paused_ms IS NOT NULL AS passed_paused",
        table = table.sql,
        of_held = match tx.backend() {
            Backend::Postgres =>
                format!("JOIN held ON held_run = t.of_run WHERE run_state.run_id = ANY ({ids}) AND"),
            Backend::Sqlite => "WHERE".to_owned(),
        },
    );
    (held, sql, table.values)
}

fn panes<'a>(
    groups: &'a [Group],
    part: fn(&Pane) -> &str,
) -> impl Iterator<Item = Option<String>> + 'a {
    let of = move |group: &Group| group.pane.as_ref().map(|pane| part(pane).to_owned());
    groups.iter().map(of)
}

/// Ends the steps that are running.
fn ended(tx: &WriteTx, ends: &[Of<'_, &Ended>], values: Vec<Value>) -> (String, Vec<Value>) {
    let ended = || ends.iter().map(|(.., ended)| *ended);
    let mut table = owned(tx, ends)
        .text("new_status", ended().map(|ended| ended.status.as_str()))
        .maybe_text("new_output", ended().map(|ended| ended.output.clone()))
        .maybe_text("new_error", ended().map(|ended| ended.error.clone()))
        .maybe_text(
            "new_outcome",
            ended().map(|ended| ended.outcome.map(|outcome| outcome.as_str().to_owned())),
        )
        .maybe_text("new_checks", ended().map(Ended::checks_json))
        .table_after("t", values);
    let these = these_steps(tx, &mut table, ends.iter().map(|((run, ..), ..)| *run));
    let (fence, now) = behind_fence(tx);
    let sql = format!(
        "UPDATE run_steps SET status = t.new_status, output = t.new_output, error = t.new_error, outcome = t.new_outcome, \
           checks = t.new_checks, ended_ms = {now} \
         FROM {} {fence} WHERE {these} AND status = 'running' RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    (sql, table.values)
}

/// Begins steps. A row that exists stays unchanged.
fn begun(tx: &WriteTx, begins: &[Of<'_, &Begin>], values: Vec<Value>) -> (String, Vec<Value>) {
    let begin = || begins.iter().map(|(.., begin)| *begin);
    let table = owned(tx, begins)
        .int("position", begin().map(|begin| begin.position))
        .text("node", begin().map(|begin| begin.node.clone()))
        .text("purpose", begin().map(|begin| begin.purpose))
        .maybe_uuid("agent", begin().map(|begin| begin.agent.map(|id| id.0)))
        .table_after("t", values);
    let (fence, now) = behind_fence(tx);
    let sql = format!(
        "INSERT INTO run_steps (run_id, step_key, lap, shard, position, node, purpose, agent_id, status, attempt, started_ms, \
           tokens_in, tokens_out, cost_microusd) \
         SELECT of_run, of_key, of_lap, of_shard, position, node, purpose, agent, 'running', 1, {now}, 0, 0, 0 \
         FROM {} {fence} WHERE TRUE ON CONFLICT (run_id, step_key, lap, shard) DO NOTHING \
         RETURNING run_id, step_key, lap, shard, agent_id",
        table.sql
    );
    (sql, table.values)
}

/// Inserts entries of journals. Their indexes are free for every writer that passes the fence.
fn journaled(
    tx: &WriteTx,
    entries: &[Of<'_, (&Entry, &RunWrite)>],
    values: Vec<Value>,
) -> (String, Vec<Value>) {
    let entry = || entries.iter().map(|(.., (entry, _))| *entry);
    let used = || entries.iter().map(|(.., (_, write))| write.used);
    let table = owned(tx, entries)
        .int("idx", entry().map(|entry| entry.index))
        .text("kind", entry().map(|entry| entry.kind))
        .text("name", entry().map(|entry| entry.name.clone()))
        .text("content", entry().map(|entry| entry.content.clone()))
        .bool("failed", entry().map(|entry| entry.failed))
        .bigint("took_ms", entry().map(|entry| entry.took_ms))
        .bigint("more_in", used().map(|used| used.tokens_in))
        .bigint("more_out", used().map(|used| used.tokens_out))
        .bigint("more_cost", used().map(|used| used.cost_microusd))
        .table_after("t", values);
    let (fence, now) = behind_fence(tx);
    let sql = format!(
        "INSERT INTO run_calls (run_id, step_key, lap, shard, idx, kind, name, content, failed, started_ms, ended_ms, \
           tokens_in, tokens_out, cost_microusd) \
         SELECT of_run, of_key, of_lap, of_shard, idx, kind, name, content, failed, {now} - took_ms, {now}, more_in, \
           more_out, more_cost \
         FROM {} {fence}",
        table.sql
    );
    (sql, table.values)
}

#[derive(Debug, FromQueryResult)]
struct PassedRow {
    passed_run: RunId,
    passed_epoch: i64,
    passed_status: String,
    passed_version: i64,
    passed_ms: i64,
    passed_messages: i32,
    passed_paused: bool,
}

impl PassedRow {
    fn passed(&self) -> (Owner, Passed) {
        let ends_cancelled = self.passed_status == Status::Cancelled.as_str();
        let passed = Passed {
            version: self.passed_version,
            updated_ms: self.passed_ms,
            inbox: Inbox {
                messages: self.passed_messages,
                paused: self.passed_paused,
            },
        };
        ((self.passed_run, self.passed_epoch, ends_cancelled), passed)
    }
}

/// A row of the statement that has all parts.
#[derive(Debug, FromQueryResult)]
struct Row {
    part: String,
    run_id: RunId,
    epoch: i64,
    status: String,
    version: i64,
    updated_ms: i64,
    messages: i32,
    paused: bool,
    step_key: Option<String>,
    lap: Option<i32>,
    shard: Option<i32>,
    agent_id: Option<ClawId>,
}

impl Row {
    fn passed(self) -> (Owner, Passed) {
        let row = PassedRow {
            passed_run: self.run_id,
            passed_epoch: self.epoch,
            passed_status: self.status,
            passed_version: self.version,
            passed_ms: self.updated_ms,
            passed_messages: self.messages,
            passed_paused: self.paused,
        };
        row.passed()
    }

    fn step(self) -> Option<StepRow> {
        Some(StepRow {
            run_id: self.run_id,
            step_key: self.step_key?,
            lap: self.lap?,
            shard: self.shard?,
            agent_id: self.agent_id,
        })
    }
}
