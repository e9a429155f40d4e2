//! The ownership of runs: claims, renewals, returns, sweeps and cancellations. All times are by the database's clock.
//! All statements cover all workspaces, because a gateway works for all of them.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Statement, Value, sea_query::ArrayType,
};

use super::entity::run;
use super::model::{MOST_CLAIMS, Status, after_silence};
use roost_platform::db::{Backend, Db, WriteTx};
use roost_platform::ids::{RunId, TeamId, UserId, WorkspaceId};

/// A run whose owner or status changed.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Moved {
    pub id: RunId,
    pub workspace_id: WorkspaceId,
    pub status: String,
    pub owner: Option<String>,
    pub epoch: i64,
    pub version: i64,
    pub team_id: Option<TeamId>,
}

impl Moved {
    /// Whether the run has ended with the change.
    pub fn is_over(&self) -> bool {
        Status::parse(&self.status).is_some_and(Status::is_final)
    }
}

const MOVED: &str = "id, workspace_id, status, owner, epoch, version, team_id";

/// Which queued runs are claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Children of running runs. They have this many places of their own at each depth: a parent keeps its place
    /// until it ends, and the runs at the deepest level wait for no child.
    Children(u64),
    /// Runs that people started.
    Roots,
}

/// Claims up to `most` queued runs for `owner`. The workspaces take turns, the one with the fewest running runs
/// first. In each workspace the oldest run comes first.
///
/// # Errors
/// When the database fails.
pub async fn claim(
    db: &Db,
    owner: &str,
    among: Among,
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
    let (which, room) = match among {
        Among::Children(room) => ("IS NOT NULL", i64::try_from(room).unwrap_or(i64::MAX)),
        Among::Roots => ("IS NULL", i64::MAX),
    };
    let sql = format!(
        "WITH busy AS (SELECT workspace_id, count(*) AS n FROM topology_runs WHERE status = 'running' GROUP BY workspace_id), \
         held AS (SELECT depth, count(*) AS n FROM topology_runs WHERE status = 'running' AND owner = $1 GROUP BY depth), \
         turn AS (SELECT q.id, q.depth, COALESCE(b.n, 0) + row_number() OVER (PARTITION BY q.workspace_id ORDER BY q.created_ms, q.id) AS rank, q.created_ms \
           FROM topology_runs q LEFT JOIN busy b ON b.workspace_id = q.workspace_id WHERE q.status = 'queued' AND q.parent_run_id {which}), \
         fits AS (SELECT t.*, COALESCE(h.n, 0) + row_number() OVER (PARTITION BY t.depth ORDER BY t.rank, t.created_ms, t.id) AS place \
           FROM turn t LEFT JOIN held h ON h.depth = t.depth), \
         next AS (SELECT id FROM fits WHERE place <= $3 ORDER BY rank, created_ms, id LIMIT $2), \
         mine AS (SELECT id FROM topology_runs WHERE id IN (SELECT id FROM next) AND status = 'queued' {lock}) \
         UPDATE topology_runs SET status = 'running', owner = $1, epoch = epoch + 1, claims = claims + 1, \
           updated_ms = {now}, started_ms = COALESCE(started_ms, {now}), version = version + 1 \
         WHERE id IN (SELECT id FROM mine) AND status = 'queued' RETURNING *"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let values = [owner.into(), most.into(), room.into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let claimed = run::Entity::find()
        .from_raw_sql(statement)
        .all(&*tx)
        .await?;
    tx.commit().await?;
    Ok(claimed)
}

/// Renews these runs, and returns those that still belong to `owner`. The owner must stop the others.
///
/// # Errors
/// When the database fails.
pub async fn renew(db: &Db, owner: &str, runs: &[RunId]) -> Result<Vec<RunId>, DbErr> {
    let mut kept = Vec::with_capacity(runs.len());
    for some in runs.chunks(500) {
        let tx = db.write().await?;
        let now = tx.backend().now_ms();
        let (list, mut values) = list(tx.backend(), some, 2);
        values.insert(0, owner.into());
        let sql = format!(
            "UPDATE topology_runs SET updated_ms = {now} WHERE owner = $1 AND status = 'running' AND id {list} RETURNING {MOVED}"
        );
        kept.extend(
            moved(&*tx, &sql, values)
                .await?
                .into_iter()
                .map(|row| row.id),
        );
        tx.commit().await?;
    }
    Ok(kept)
}

/// The runs of this owner that must be cancelled.
///
/// # Errors
/// When the database fails.
pub async fn to_cancel(db: &Db, owner: &str) -> Result<Vec<RunId>, DbErr> {
    let sql = format!(
        "SELECT {MOVED} FROM topology_runs WHERE owner = $1 AND status = 'running' AND cancel_requested_ms IS NOT NULL"
    );
    let found = moved(db.read(), &sql, vec![owner.into()]).await?;
    Ok(found.into_iter().map(|row| row.id).collect())
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
        "UPDATE topology_runs SET epoch = epoch + 1, updated_ms = {now} WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING {MOVED}"
    );
    let mine = moved(&*tx, &sql, vec![id.into(), owner.into()]).await?;
    let row = match mine.is_empty() {
        true => None,
        false => run::Entity::find_by_id(id).one(&*tx).await?,
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
        "UPDATE topology_runs SET status = 'queued', owner = NULL, version = version + 1 \
         WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING {MOVED}"
    );
    moved(&*tx, &sql, vec![id.into(), epoch.into()]).await?;
    tx.commit().await
}

/// Which silent runs the sweeper selects.
#[derive(Debug, Clone, Copy)]
pub enum Silent<'a> {
    /// Runs whose owner gave no sign of life for this long.
    For(Duration),
    /// Runs of any other owner, on a database that only one gateway can open: those owners are dead.
    NotOf(&'a str),
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
pub async fn sweep(tx: &WriteTx, silent: Silent<'_>) -> Result<Vec<Moved>, DbErr> {
    let now = tx.backend().now_ms();
    let (which, values) = match silent {
        Silent::For(lease) => (
            format!("updated_ms < {now} - {}", lease.as_millis()),
            Vec::new(),
        ),
        Silent::NotOf(owner) => ("owner <> $1".to_owned(), vec![owner.into()]),
    };
    let lock = match tx.backend() {
        Backend::Postgres => "FOR UPDATE",
        Backend::Sqlite => "",
    };
    let sql = format!(
        "SELECT id, claims, cancel_requested_ms FROM topology_runs WHERE status = 'running' AND {which} {lock}"
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let found = SilentRun::find_by_statement(statement).all(&**tx).await?;
    let mut swept = Vec::with_capacity(found.len());
    for status in [Status::Queued, Status::Cancelled, Status::Failed] {
        let runs: Vec<RunId> = found
            .iter()
            .filter(|run| run.becomes() == status)
            .map(|run| run.id)
            .collect();
        for some in runs.chunks(500) {
            swept.extend(take_away(tx, some, status).await?);
        }
    }
    for over in swept.iter().filter(|row| row.is_over()) {
        close_steps(tx, over.id).await?;
    }
    Ok(swept)
}

/// Takes running runs away from their owners and sets this status.
async fn take_away(tx: &WriteTx, runs: &[RunId], status: Status) -> Result<Vec<Moved>, DbErr> {
    let error = (status == Status::Failed).then(|| {
        format!("The gateway stopped {MOST_CLAIMS} times while it worked on this run. It does not try again.")
    });
    let code = error.as_ref().map(|_| "gave-up");
    let ended = match status.is_final() {
        true => tx.backend().now_ms(),
        false => "ended_ms",
    };
    let (list, ids) = list(tx.backend(), runs, 4);
    let mut values: Vec<Value> = vec![status.as_str().into(), error.into(), code.into()];
    values.extend(ids);
    let sql = format!(
        "UPDATE topology_runs SET owner = NULL, version = version + 1, epoch = epoch + 1, status = $1, \
           error = COALESCE($2, error), error_code = COALESCE($3, error_code), ended_ms = {ended} \
         WHERE status = 'running' AND id {list} RETURNING {MOVED}"
    );
    moved(&**tx, &sql, values).await
}

/// Requests the cancellation of a run and its descendants. Queued runs end at once, and their owners end the running
/// ones. Runs that are over stay unchanged. The caller's transaction publishes the changes.
///
/// # Errors
/// When the database fails.
pub async fn cancel(tx: &WriteTx, id: RunId, by: UserId) -> Result<Vec<Moved>, DbErr> {
    let now = tx.backend().now_ms();
    let sql = format!(
        "WITH RECURSIVE tree (id) AS (SELECT id FROM topology_runs WHERE id = $1 \
           UNION SELECT r.id FROM topology_runs r JOIN tree t ON r.parent_run_id = t.id) \
         UPDATE topology_runs SET cancel_requested_ms = COALESCE(cancel_requested_ms, {now}), \
           cancelled_by = COALESCE(cancelled_by, $2), version = version + 1, \
           ended_ms = CASE WHEN status = 'queued' THEN {now} ELSE ended_ms END, \
           status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END \
         WHERE id IN (SELECT id FROM tree) AND (status = 'queued' OR (status = 'running' AND cancel_requested_ms IS NULL)) \
         RETURNING {MOVED}"
    );
    let mut all = Vec::new();
    loop {
        let moved = moved(&**tx, &sql, vec![id.into(), by.into()]).await?;
        if moved.is_empty() {
            break;
        }
        for over in moved.iter().filter(|row| row.is_over()) {
            close_steps(tx, over.id).await?;
        }
        // On PostgreSQL, a child that was inserted while this statement waited for its parent's row is visible only
        // to the next statement. No child is inserted after that, because an insert passes the parent's fence.
        all.extend(moved);
    }
    Ok(all)
}

/// Cancels the steps that were running when their run ended.
async fn close_steps(tx: &WriteTx, run: RunId) -> Result<(), DbErr> {
    let now = tx.backend().now_ms();
    let sql = format!(
        "UPDATE run_steps SET status = 'cancelled', ended_ms = {now} WHERE run_id = $1 AND status = 'running'"
    );
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        [run.into()],
    ))
    .await?;
    Ok(())
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
