//! The ownership of runs: claims, renewals, returns, sweeps and cancellations. All times are by the database's clock.
//! All statements cover all workspaces, because a gateway works for all of them.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement, Value, sea_query::ArrayType};

use super::entity::run;
use super::handovers::not_for_others;
use super::model::{MOST_CLAIMS, Status, after_silence};
use super::store;
use roost_platform::db::{Backend, Db, WriteTx};
use roost_platform::events::{About, Event, ResourceKind, Stamped};
use roost_platform::ids::{ClawId, MissionId, RoomId, RunId, UserId, WorkspaceId};

/// A run whose owner or status changed.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Moved {
    pub id: RunId,
    pub workspace_id: WorkspaceId,
    pub status: String,
    pub owner: Option<String>,
    pub epoch: i64,
    pub version: i64,
    pub mission_id: Option<MissionId>,
    pub room_id: Option<RoomId>,
}

impl Moved {
    /// Whether the run has ended with the change.
    pub fn is_over(&self) -> bool {
        Status::parse(&self.status).is_some_and(Status::is_final)
    }

    /// What the run's events belong to.
    pub fn about(&self) -> About {
        About {
            run: Some(self.id.0),
            mission: self.mission_id.map(Into::into),
            room: self.room_id.map(Into::into),
        }
    }

    /// The event that the run has changed.
    pub fn changed(&self) -> Stamped {
        Event::changed(ResourceKind::Run, self.id, self.version).about(self.about())
    }
}

/// Runs that moved.
#[derive(Debug, Default)]
pub struct Moves {
    pub runs: Vec<Moved>,
    /// The agents of the steps that ended with their runs, one entry for each step.
    pub rested: Vec<ClawId>,
}

pub(super) const MOVED: &str = "run_id AS id, workspace_id, status, owner, epoch, version, \
                     (SELECT t.mission_id FROM topology_runs t WHERE t.id = run_state.run_id) AS mission_id, \
                     (SELECT t.room_id FROM topology_runs t WHERE t.id = run_state.run_id) AS room_id";

/// A run that a gateway may take: it is queued, or it was parked and woken.
const CLAIMABLE: &str =
    "(status = 'queued' OR (status = 'running' AND owner IS NULL AND waiting_on IS NULL))";

/// The same runs, one part for each index.
const READY: &str = "SELECT run_id, workspace_id, depth, queued_ms, epoch FROM run_state WHERE status = 'queued' \
                     UNION ALL SELECT run_id, workspace_id, depth, queued_ms, epoch FROM run_state \
                       WHERE status = 'running' AND owner IS NULL AND waiting_on IS NULL";

/// Claims up to `most` queued or woken runs for `owner`, and renews its lease. The workspaces take turns, the one with the
/// fewest running runs first. In each workspace the deepest run comes first, then the oldest: trees that have begun end
/// before others begin. A run that was handed over to another gateway is left to it for a while.
///
/// # Errors
/// When the database fails.
pub async fn claim(
    db: &Db,
    (owner, lease): (&str, Duration),
    most: u64,
) -> Result<Vec<run::Model>, DbErr> {
    let tx = db.write().await?;
    let now = tx.backend().now_ms();
    // Two gateways may choose the same runs. On PostgreSQL a gateway skips rows that another one has locked. On
    // SQLite there is one writer. The condition on the status decides in each case.
    let lock = match tx.backend() {
        Backend::Postgres => "FOR UPDATE SKIP LOCKED",
        Backend::Sqlite => "",
    };
    let for_us = not_for_others(now);
    let sql = format!(
        "WITH busy AS (SELECT workspace_id, count(*) AS n FROM run_state WHERE status = 'running' AND owner IS NOT NULL GROUP BY workspace_id), \
         turn AS (SELECT q.run_id, COALESCE(b.n, 0) + row_number() OVER (PARTITION BY q.workspace_id ORDER BY q.depth DESC, q.queued_ms, q.run_id) AS rank, q.queued_ms \
           FROM ({READY}) q LEFT JOIN busy b ON b.workspace_id = q.workspace_id WHERE {for_us}), \
         next AS (SELECT run_id FROM turn ORDER BY rank, queued_ms, run_id LIMIT $2), \
         mine AS (SELECT run_id FROM run_state WHERE run_id IN (SELECT run_id FROM next) AND {CLAIMABLE} {lock}) \
         UPDATE run_state SET status = 'running', owner = $1, epoch = epoch + 1, claims = claims + 1, \
           updated_ms = {now}, started_ms = COALESCE(started_ms, {now}), version = version + 1, \
           time_up_ms = COALESCE(time_up_ms, (SELECT {now} + t.time_limit_s * 1000 FROM topology_runs t WHERE t.id = run_state.run_id)) \
         WHERE run_id IN (SELECT run_id FROM mine) AND {CLAIMABLE} RETURNING {MOVED}"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let claimed = moved(&*tx, &sql, vec![owner.into(), most.into()]).await?;
    if claimed.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<RunId> = claimed.into_iter().map(|run| run.id).collect();
    let rows = store::by_ids(&*tx, &ids).await?;
    renew(&tx, owner, lease).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Renews the lease of `owner`, which covers all its runs.
///
/// # Errors
/// When the database fails.
pub async fn renew(tx: &WriteTx, owner: &str, lease: Duration) -> Result<(), DbErr> {
    let now = tx.backend().now_ms();
    let sql = format!(
        "INSERT INTO run_owners (owner, alive_until_ms) VALUES ($1, {now} + $2) \
         ON CONFLICT (owner) DO UPDATE SET alive_until_ms = excluded.alive_until_ms"
    );
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let values = [owner.into(), lease.into()];
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        values,
    ))
    .await?;
    Ok(())
}

/// A run that an owner works on, by the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Owned {
    pub run_id: RunId,
    pub epoch: i64,
    pub cancelled: bool,
}

/// The runs of this owner.
///
/// # Errors
/// When the database fails.
pub async fn owned(db: &Db, owner: &str) -> Result<Vec<Owned>, DbErr> {
    let sql = "SELECT run_id, epoch, cancel_requested_ms IS NOT NULL AS cancelled FROM run_state \
               WHERE owner = $1 AND status = 'running'";
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, [owner.into()]);
    Owned::find_by_statement(statement).all(db.read()).await
}

/// Resumes a run for its present owner with a new epoch. The fence refuses later writes of the previous actor. `None`
/// when another gateway owns the run, or the run is over.
///
/// # Errors
/// When the database fails.
pub async fn take_over(db: &Db, owner: &str, id: RunId) -> Result<Option<run::Model>, DbErr> {
    let tx = db.write().await?;
    let now = tx.backend().now_ms();
    let sql = format!(
        "UPDATE run_state SET epoch = epoch + 1, updated_ms = {now} WHERE run_id = $1 AND owner = $2 AND status = 'running' RETURNING {MOVED}"
    );
    let mine = moved(&*tx, &sql, vec![id.into(), owner.into()]).await?;
    let row = match mine.is_empty() {
        true => None,
        false => store::by_id(&*tx, id).await?,
    };
    tx.commit().await?;
    Ok(row)
}

/// Returns a run to the queue at an ordered stop, so that it need not wait for the sweeper.
///
/// # Errors
/// When the database fails. The sweeper then requeues the run later.
pub async fn release(db: &Db, id: RunId, epoch: i64) -> Result<(), DbErr> {
    let tx = db.write().await?;
    let sql = format!(
        "UPDATE run_state SET status = 'queued', owner = NULL, version = version + 1 \
         WHERE run_id = $1 AND epoch = $2 AND status = 'running' RETURNING {MOVED}"
    );
    moved(&*tx, &sql, vec![id.into(), epoch.into()]).await?;
    tx.commit().await
}

/// Which silent runs the sweeper selects.
#[derive(Debug, Clone, Copy)]
pub enum Silent<'a> {
    /// Runs whose owner has not renewed its lease in time.
    Expired,
    /// Runs of any other owner, on a database that only one gateway can open: those owners are dead.
    NotOf(&'a str),
    /// Runs of this owner that no actor of it works on.
    Orphans(&'a str, &'a [RunId]),
}

/// A running run whose owner is silent.
#[derive(Debug, FromQueryResult)]
struct SilentRun {
    id: RunId,
    claims: i32,
    cancel_requested_ms: Option<i64>,
}

impl SilentRun {
    fn becomes(&self) -> Status {
        after_silence(self.cancel_requested_ms.is_some(), self.claims)
    }
}

/// Takes silent runs away from their owners. [`after_silence`] decides the new status of each. The caller's
/// transaction publishes the changes.
///
/// The runs stay locked from the read to the write: by `FOR UPDATE` on PostgreSQL, by the only writer on SQLite. So
/// no owner renews a run in between, and only one of two gateways sweeps each run.
///
/// # Errors
/// When the database fails.
pub async fn sweep(tx: &WriteTx, silent: Silent<'_>) -> Result<Moves, DbErr> {
    let now = tx.backend().now_ms();
    let (which, values) = match silent {
        Silent::Expired => (
            format!(
                "owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM run_owners o \
                 WHERE o.owner = run_state.owner AND o.alive_until_ms >= {now})"
            ),
            Vec::new(),
        ),
        Silent::NotOf(owner) => ("owner <> $1".to_owned(), vec![owner.into()]),
        Silent::Orphans(owner, runs) => {
            let (list, mut values) = list(tx.backend(), runs, 2);
            values.insert(0, owner.into());
            (format!("owner = $1 AND run_id {list}"), values)
        }
    };
    let lock = match tx.backend() {
        Backend::Postgres => "FOR UPDATE",
        Backend::Sqlite => "",
    };
    if tx.backend() == Backend::Postgres {
        // With the parents of those that may end here, in the order in which all transactions lock several runs.
        let sql = format!(
            "SELECT run_id FROM run_state WHERE run_id IN (\
               SELECT run_id FROM run_state WHERE status = 'running' AND {which} UNION \
               SELECT (SELECT t.parent_run_id FROM topology_runs t WHERE t.id = run_state.run_id) FROM run_state \
                 WHERE status = 'running' AND {which}) ORDER BY run_id FOR UPDATE"
        );
        execute(tx, sql, values.clone()).await?;
    }
    let sql = format!(
        "SELECT run_id AS id, claims, cancel_requested_ms FROM run_state WHERE status = 'running' AND {which} \
         ORDER BY run_id {lock}"
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let found = SilentRun::find_by_statement(statement).all(&**tx).await?;
    let mut swept = Moves::default();
    for status in [Status::Queued, Status::Cancelled, Status::Failed] {
        let runs: Vec<RunId> = found
            .iter()
            .filter(|run| run.becomes() == status)
            .map(|run| run.id)
            .collect();
        for some in runs.chunks(500) {
            swept.runs.extend(take_away(tx, some, status).await?);
        }
    }
    swept.rested = close_ended(tx, &swept.runs).await?;
    if !swept.runs.is_empty() {
        // Owners that died long ago.
        let old = format!("DELETE FROM run_owners WHERE alive_until_ms < {now} - 86400000");
        tx.execute_unprepared(&old).await?;
    }
    Ok(swept)
}

/// Takes running runs away from their owners and sets this status.
async fn take_away(tx: &WriteTx, runs: &[RunId], status: Status) -> Result<Vec<Moved>, DbErr> {
    let error = (status == Status::Failed).then(|| {
        format!("The gateway stopped {MOST_CLAIMS} times while it worked on this run. It does not try again.")
    });
    let code = error.as_ref().map(|_| "gave-up");
    let (some, ids) = list(tx.backend(), runs, 2);
    let mut values: Vec<Value> = vec![status.as_str().into()];
    values.extend(ids);
    let sql = format!(
        "UPDATE run_state SET owner = NULL, version = version + 1, epoch = epoch + 1, status = $1 \
         WHERE status = 'running' AND run_id {some} RETURNING {MOVED}"
    );
    let taken = moved(&**tx, &sql, values).await?;
    if error.is_some() {
        let (some, ids) = list(tx.backend(), runs, 3);
        let mut values: Vec<Value> = vec![error.into(), code.into()];
        values.extend(ids);
        let sql = format!("UPDATE topology_runs SET error = $1, error_code = $2 WHERE id {some}");
        execute(tx, sql, values).await?;
    }
    Ok(taken)
}

/// Requests the cancellation of a run and its descendants. Queued and parked runs end at once, and their owners end the
/// running ones. Runs that are over stay unchanged. The caller's transaction publishes the changes.
///
/// # Errors
/// When the database fails.
pub async fn cancel(tx: &WriteTx, id: RunId, by: UserId) -> Result<Moves, DbErr> {
    let now = tx.backend().now_ms();
    // In the order of the committer, so that the two cannot deadlock.
    let lock = match tx.backend() {
        Backend::Postgres => "FOR UPDATE",
        Backend::Sqlite => "",
    };
    let sql = format!(
        "WITH RECURSIVE tree (id) AS (SELECT id FROM topology_runs WHERE id = $1 \
           UNION SELECT r.id FROM topology_runs r JOIN tree t ON r.parent_run_id = t.id), \
         held AS (SELECT run_id FROM run_state WHERE run_id IN (SELECT id FROM tree) ORDER BY run_id {lock}) \
         UPDATE run_state SET cancel_requested_ms = COALESCE(cancel_requested_ms, {now}), \
           cancelled_by = COALESCE(cancelled_by, $2), version = version + 1, \
           status = CASE WHEN owner IS NULL THEN 'cancelled' ELSE status END, waiting_on = NULL \
         WHERE run_id IN (SELECT run_id FROM held) AND (status = 'queued' OR (status = 'running' AND cancel_requested_ms IS NULL)) \
         RETURNING {MOVED}"
    );
    // In the order in which all transactions lock several runs. The parent may be about to wait for the run.
    let lock = "WITH RECURSIVE tree (id) AS (SELECT id FROM topology_runs WHERE id = $1 \
           UNION SELECT r.id FROM topology_runs r JOIN tree t ON r.parent_run_id = t.id) \
         SELECT run_id FROM run_state WHERE run_id IN (SELECT id FROM tree UNION \
             SELECT parent_run_id FROM topology_runs WHERE id = $1) AND status IN ('queued', 'running') \
         ORDER BY run_id FOR UPDATE";
    let mut all = Moves::default();
    loop {
        if tx.backend() == Backend::Postgres {
            execute(tx, lock.to_owned(), vec![id.into()]).await?;
        }
        let moved = moved(&**tx, &sql, vec![id.into(), by.into()]).await?;
        if moved.is_empty() {
            break;
        }
        // On PostgreSQL, a child that was inserted while this statement waited for its parent's row is visible only
        // to the next statement. No child is inserted after that, because an insert passes the parent's fence.
        all.runs.extend(moved);
    }
    all.rested = close_ended(tx, &all.runs).await?;
    Ok(all)
}

/// Records the end of those runs that have ended, and ends their steps. Returns the agents of these steps.
async fn close_ended(tx: &WriteTx, moved: &[Moved]) -> Result<Vec<ClawId>, DbErr> {
    let ended = moved.iter().filter(|run| run.is_over());
    let ended: Vec<RunId> = ended.map(|run| run.id).collect();
    let now = tx.backend().now_ms();
    for some in ended.chunks(500) {
        let (list, ids) = list(tx.backend(), some, 1);
        let sql = format!("UPDATE topology_runs SET ended_ms = {now} WHERE id {list}");
        execute(tx, sql, ids).await?;
    }
    let rested = close_steps(tx, &ended).await?;
    Ok(rested.into_iter().map(|(_, agent)| agent).collect())
}

#[derive(FromQueryResult)]
struct RestedStep {
    run_id: RunId,
    agent_id: Option<ClawId>,
}

/// Cancels the steps that had no end when their runs ended. Returns the agents of those that were at work with their
/// runs, one entry for each step.
pub(super) async fn close_steps(
    tx: &WriteTx,
    runs: &[RunId],
) -> Result<Vec<(RunId, ClawId)>, DbErr> {
    let now = tx.backend().now_ms();
    let mut agents = Vec::new();
    for some in runs.chunks(500) {
        let (list, ids) = list(tx.backend(), some, 1);
        let sql = format!(
            "UPDATE run_steps SET status = 'cancelled', ended_ms = {now} WHERE run_id {list} AND status = 'running' \
             RETURNING run_id, agent_id"
        );
        let close = Statement::from_sql_and_values(tx.backend().into(), sql, ids.clone());
        let closed = RestedStep::find_by_statement(close).all(&**tx).await?;
        agents.extend(
            closed
                .into_iter()
                .filter_map(|step| Some((step.run_id, step.agent_id?))),
        );
        // Each parked step has a wait.
        let sql = format!("DELETE FROM run_waits WHERE run_id {list}");
        if execute(tx, sql, ids.clone()).await? > 0 {
            // The agents of these steps rest already.
            let parked = format!(
                "UPDATE run_steps SET status = 'cancelled', ended_ms = {now} WHERE run_id {list} AND status = 'waiting'"
            );
            execute(tx, parked, ids).await?;
        }
    }
    Ok(agents)
}

/// Returns the number of changed rows.
async fn execute(tx: &WriteTx, sql: String, values: Vec<Value>) -> Result<u64, DbErr> {
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    Ok(tx.execute_raw(statement).await?.rows_affected())
}

async fn moved(
    db: &impl ConnectionTrait,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<Moved>, DbErr> {
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Moved::find_by_statement(statement).all(db).await
}

/// `IN (…)` for SQLite, `= ANY (…)` for PostgreSQL, which then prepares one statement for any number of ids.
fn list(backend: Backend, runs: &[RunId], first: usize) -> (String, Vec<Value>) {
    match backend {
        Backend::Postgres => {
            let ids = runs.iter().map(|run| Value::from(run.0)).collect();
            let array = Value::Array(ArrayType::Uuid, Some(Box::new(ids)));
            (format!("= ANY (${first})"), vec![array])
        }
        Backend::Sqlite => {
            let marks: Vec<String> = (0..runs.len()).map(|i| format!("${}", first + i)).collect();
            let values = runs.iter().map(|run| Value::from(*run)).collect();
            (format!("IN ({})", marks.join(", ")), values)
        }
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
