//! Parked steps and runs, in the database. A step that waits for something outside is parked: its job ends. When no other
//! step of the run works, the whole run is parked: it stays `running` without an owner, and `waiting_on` says why. What
//! it waits for wakes it in its own transaction. A woken run has neither an owner nor `waiting_on`, and the claimer
//! takes it up again.
//!
//! The order of locks, so that no wake-up is missed and no two transactions block each other: a machine, then runs by
//! their ids, then a door. A step is parked only while what it waits for is locked and away. The end of a child locks its
//! parent together with the child, so the lock of the parent suffices here.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryResult,
    Set, Statement, Value,
    sea_query::{Expr, OnConflict},
};

use super::entity::{state, step, wait};
use super::fence::{Fence, FenceError, Passed, Used, this_step};
use super::journal::stored;
use super::model::{Status, StepStatus};
use super::progress::ref_of;
use super::waits::{CHILD, WaitOn, Waiting};
use crate::topology::StepRef;
use roost_connections::doors;
use roost_machines::fleet;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::{ClawId, RunId};

/// A step to park.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub on: WaitOn,
    /// For people.
    pub text: String,
    /// The longest wait, in milliseconds. `None`: what it waits for has an end of its own.
    pub most_ms: Option<i64>,
}

/// What the park of a step changed.
#[derive(Debug)]
pub(super) enum Parked {
    /// What the step waits for is there. Nothing was written.
    NotNeeded,
    /// The step has waited for too long. Nothing was written.
    TooLong,
    /// The step is parked.
    Step {
        passed: Passed,
        /// The agent of the step, which rests.
        rested: Vec<ClawId>,
    },
}

/// Locks what the step waits for, then passes the fence and parks the step.
///
/// # Errors
/// [`FenceError`].
pub(super) async fn park_step(
    tx: &WriteTx,
    fence: Fence,
    at: &StepRef,
    wait: &Wait,
) -> Result<Parked, FenceError> {
    let passed = match wait.on {
        WaitOn::Machine { machine } => {
            if !fleet::is_away_locked(tx, machine).await? {
                return Ok(Parked::NotNeeded);
            }
            fence.pass(tx, Used::default(), 0).await?
        }
        WaitOn::Door { door } => {
            let passed = fence.pass(tx, Used::default(), 0).await?;
            if !doors::is_open(tx, door).await? {
                return Ok(Parked::NotNeeded);
            }
            passed
        }
        WaitOn::Pause { .. } => {
            let passed = fence.pass(tx, Used::default(), 0).await?;
            if !passed.inbox.paused {
                return Ok(Parked::NotNeeded);
            }
            passed
        }
        WaitOn::Child { run } => {
            let passed = fence.pass(tx, Used::default(), 0).await?;
            let child = state::Entity::find_by_id(run).one(&**tx).await?;
            let status = child.and_then(|child| Status::parse(&child.status));
            if status.is_none_or(Status::is_final) {
                return Ok(Parked::NotNeeded);
            }
            passed
        }
    };
    let now = passed.updated_ms;
    let before = wait_of(tx, fence.run, at).await?;
    let same =
        before.filter(|row| (&*row.kind, &*row.subject) == (wait.on.kind(), &*wait.on.subject()));
    let since = same.map_or(now, |row| row.since_ms);
    if wait.most_ms.is_some_and(|most| now - since >= most) {
        return Ok(Parked::TooLong);
    }
    let row = wait::ActiveModel {
        run_id: Set(fence.run),
        step_key: Set(at.key.clone()),
        lap: Set(stored(at.lap)),
        shard: Set(stored(at.shard)),
        kind: Set(wait.on.kind().to_owned()),
        subject: Set(wait.on.subject()),
        text: Set(wait.text.clone()),
        since_ms: Set(since),
        due_ms: Set(wait.most_ms.map(|most| since + most)),
        woken: Set(false),
    };
    use wait::Column::{DueMs, Kind, Lap, RunId, Shard, SinceMs, StepKey, Subject, Text, Woken};
    let mut replaced = OnConflict::columns([RunId, StepKey, Lap, Shard]);
    replaced.update_columns([Kind, Subject, Text, SinceMs, DueMs, Woken]);
    wait::Entity::insert(row)
        .on_conflict(replaced)
        .exec_without_returning(&**tx)
        .await?;
    let mut park = step::Entity::update_many()
        .col_expr(
            step::Column::Status,
            Expr::value(StepStatus::Waiting.as_str()),
        )
        .filter(this_step(fence.run, at))
        .filter(step::Column::Status.eq(StepStatus::Running.as_str()));
    if wait.on.is_absence() {
        park = park
            .col_expr(step::Column::Error, Expr::value(wait.text.clone()))
            .col_expr(step::Column::AwaySinceMs, Expr::value(since));
    }
    let mut park = sea_orm::QueryTrait::into_query(park);
    park.returning_col(step::Column::AgentId);
    let rested = agents_of(tx.query_all(&park).await?)?;
    Ok(Parked::Step { passed, rested })
}

/// The agents of the steps that a statement changed, one entry for each step.
fn agents_of(rows: Vec<QueryResult>) -> Result<Vec<ClawId>, DbErr> {
    let agents = rows.iter().map(|row| row.try_get("", "agent_id"));
    let agents: Vec<Option<ClawId>> = agents.collect::<Result<_, _>>()?;
    Ok(agents.into_iter().flatten().collect())
}

/// Parks the whole run, after the fence was passed in this transaction. Not when a parked step was woken meanwhile.
/// Returns whether the run is parked.
///
/// # Errors
/// When the database fails.
pub(super) async fn park_run(tx: &WriteTx, fence: Fence) -> Result<bool, DbErr> {
    let mut waits = waits_of(&**tx, fence.run).await?;
    // What is missing says more than what is at work.
    waits.sort_by_key(|row| (row.kind == CHILD, row.since_ms));
    let Some(first) = waits.iter().find(|row| !row.woken) else {
        return Ok(false);
    };
    let Some(on) = WaitOn::parse(&first.kind, &first.subject) else {
        return Ok(false);
    };
    let waiting = Waiting {
        on,
        text: first.text.clone(),
        since_ms: first.since_ms,
    };
    let waiting = serde_json::to_string(&waiting).expect("texts and ids encode");
    // A run that parks has made progress, so earlier claims do not count against it.
    let sql = "UPDATE run_state SET owner = NULL, waiting_on = $1, claims = 0 \
               WHERE run_id = $2 AND epoch = $3 AND status = 'running' AND NOT EXISTS (\
                 SELECT 1 FROM run_waits w JOIN run_steps s ON s.run_id = w.run_id AND s.step_key = w.step_key \
                   AND s.lap = w.lap AND s.shard = w.shard \
                 WHERE w.run_id = $2 AND w.woken AND s.status = 'waiting')";
    let values: [Value; 3] = [waiting.into(), fence.run.into(), fence.epoch.into()];
    let parked = tx
        .execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            values,
        ))
        .await?;
    Ok(parked.rows_affected() == 1)
}

/// The wait of a step is over.
///
/// # Errors
/// When the database fails.
pub(super) async fn forget(tx: &WriteTx, run: RunId, at: &StepRef) -> Result<(), DbErr> {
    wait::Entity::delete_many()
        .filter(this_wait(run, at))
        .exec(&**tx)
        .await
        .map(drop)
}

fn this_wait(run: RunId, at: &StepRef) -> sea_orm::Condition {
    sea_orm::Condition::all()
        .add(wait::Column::RunId.eq(run))
        .add(wait::Column::StepKey.eq(&*at.key))
        .add(wait::Column::Lap.eq(stored(at.lap)))
        .add(wait::Column::Shard.eq(stored(at.shard)))
}

async fn wait_of(tx: &WriteTx, run: RunId, at: &StepRef) -> Result<Option<wait::Model>, DbErr> {
    wait::Entity::find()
        .filter(this_wait(run, at))
        .one(&**tx)
        .await
}

/// The step of a wait.
pub(super) fn step_of(row: &wait::Model) -> StepRef {
    StepRef {
        key: row.step_key.clone(),
        lap: u32::try_from(row.lap).unwrap_or(0),
        shard: u32::try_from(row.shard).unwrap_or(0),
    }
}

/// The parked steps of a run that a gateway takes up: those that were woken, and those that still wait.
pub(super) fn sorted(
    steps: &[step::Model],
    waits: &[wait::Model],
) -> (BTreeSet<StepRef>, BTreeSet<StepRef>) {
    let waiting = StepStatus::Waiting.as_str();
    let parked = steps.iter().filter(|step| step.status == waiting);
    let still: BTreeSet<StepRef> = waits.iter().filter(|row| !row.woken).map(step_of).collect();
    parked.map(ref_of).partition(|at| !still.contains(at))
}

/// The waits of a run's steps.
///
/// # Errors
/// When the database fails.
pub(super) async fn waits_of(
    db: &impl ConnectionTrait,
    run: RunId,
) -> Result<Vec<wait::Model>, DbErr> {
    wait::Entity::find()
        .filter(wait::Column::RunId.eq(run))
        .all(db)
        .await
}

/// Locks a run until the end of the transaction. `true` while it works and nobody has cancelled it.
///
/// # Errors
/// When the database fails.
pub async fn lock_working(tx: &WriteTx, run: RunId) -> Result<bool, DbErr> {
    let lock = match tx.backend() {
        Backend::Postgres => "FOR UPDATE",
        Backend::Sqlite => "",
    };
    let sql = format!(
        "SELECT status = 'running' AND cancel_requested_ms IS NULL AS works FROM run_state WHERE run_id = $1 {lock}"
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, [run.into()]);
    let row = tx.query_one_raw(statement).await?;
    row.map_or(Ok(false), |row| row.try_get("", "works"))
}

/// Which waits end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ends<'a> {
    /// Those for this.
    On(WaitOn),
    /// Those for these children.
    Children(&'a [RunId]),
    /// Those that have lasted for their longest time.
    Due,
}

/// Ends waits. The runs without another step at work are claimed after the commit. The caller wakes the claimer.
///
/// # Errors
/// When the database fails.
pub(super) async fn wake(tx: &WriteTx, ends: Ends<'_>) -> Result<u64, DbErr> {
    let (which, values): (String, Vec<Value>) = match ends {
        Ends::On(on) => (
            "kind = $1 AND subject = $2 AND NOT woken".to_owned(),
            vec![on.kind().into(), on.subject().into()],
        ),
        Ends::Children(runs) => {
            let marks: Vec<String> = (1..=runs.len()).map(|n| format!("${n}")).collect();
            let subjects = runs.iter().map(|run| run.to_string().into());
            (
                format!(
                    "kind = '{CHILD}' AND subject IN ({}) AND NOT woken",
                    marks.join(", ")
                ),
                subjects.collect(),
            )
        }
        Ends::Due => (
            format!("due_ms <= {} AND NOT woken", tx.backend().now_ms()),
            Vec::new(),
        ),
    };
    let runs = format!("SELECT run_id FROM run_waits WHERE {which}");
    let execute = async |sql: String| {
        let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values.clone());
        tx.execute_raw(statement).await
    };
    if tx.backend() == Backend::Postgres {
        // A step of such a run may be about to park the run. The lock waits for it, and the update sees its result.
        execute(format!(
            "SELECT run_id FROM run_state WHERE run_id IN ({runs}) ORDER BY run_id FOR UPDATE"
        ))
        .await?;
    }
    execute(format!(
        "UPDATE run_state SET waiting_on = NULL \
         WHERE run_id IN ({runs}) AND status = 'running' AND waiting_on IS NOT NULL"
    ))
    .await?;
    let woken = execute(format!("UPDATE run_waits SET woken = TRUE WHERE {which}")).await?;
    Ok(woken.rows_affected())
}

/// Whether a wait has lasted for its longest time.
///
/// # Errors
/// When the database fails.
pub(super) async fn any_due(db: &impl ConnectionTrait, backend: Backend) -> Result<bool, DbErr> {
    let sql = format!(
        "SELECT run_id FROM run_waits WHERE due_ms <= {} AND NOT woken LIMIT 1",
        backend.now_ms()
    );
    let row = db
        .query_one_raw(Statement::from_string(backend.into(), sql))
        .await?;
    Ok(row.is_some())
}

#[derive(FromQueryResult)]
struct Woken {
    run_id: RunId,
}

/// The runs of this owner with a parked step that was woken.
///
/// # Errors
/// When the database fails.
pub(super) async fn woken_of(
    db: &impl ConnectionTrait,
    backend: Backend,
    owner: &str,
) -> Result<Vec<RunId>, DbErr> {
    let sql = "SELECT DISTINCT w.run_id AS run_id FROM run_waits w \
                 JOIN run_steps s ON s.run_id = w.run_id AND s.step_key = w.step_key AND s.lap = w.lap AND s.shard = w.shard \
                 JOIN run_state r ON r.run_id = w.run_id \
               WHERE w.woken AND s.status = 'waiting' AND r.owner = $1 AND r.status = 'running'";
    let statement = Statement::from_sql_and_values(backend.into(), sql, [owner.into()]);
    let rows = Woken::find_by_statement(statement).all(db).await?;
    Ok(rows.into_iter().map(|row| row.run_id).collect())
}
