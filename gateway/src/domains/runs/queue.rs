//! Who may work on a run: claiming, keeping, giving back, sweeping, cancelling. All of it by the database's clock, and for
//! all workspaces at once, because a gateway works for all of them.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Statement, Value, sea_query::ArrayType,
};

use super::entity::run;
use super::model::{MOST_CLAIMS, Status};
use crate::db::{Backend, Db, WriteTx};
use crate::ids::{RunId, TeamId, UserId, WorkspaceId};

/// A run that changed hands or state.
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
    /// Whether it is over with that.
    pub fn is_over(&self) -> bool {
        Status::parse(&self.status).is_some_and(Status::is_final)
    }
}

const MOVED: &str = "id, workspace_id, status, owner, epoch, version, team_id";

/// Which queued runs are claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Those that a run at work waits for. They have room of their own, for so many at each depth: parents hold places
    /// until they are over, and the deepest wait for nobody.
    Children(u64),
    /// Those that people started.
    Roots,
}

/// Takes up to `most` queued runs for `owner`: in turn of the workspaces, those with the least at work first, in each the
/// oldest first.
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
    // Two gateways may choose the same runs: on PostgreSQL one skips what the other has locked, on SQLite there is one
    // writer; the condition on the status decides in any case.
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

/// Says that these runs are alive; answers those that still belong to `owner`. The others must stop.
///
/// # Errors
/// When the database fails.
pub async fn keep(db: &Db, owner: &str, runs: &[RunId]) -> Result<Vec<RunId>, DbErr> {
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

/// Those of this owner's runs that shall end.
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

/// Takes a run up again for its present owner, with a fresh epoch: whatever the former incarnation still does is refused.
/// `None` when it is somebody else's, or over.
///
/// # Errors
/// When the database fails.
pub async fn take_up(db: &Db, owner: &str, id: RunId) -> Result<Option<run::Model>, DbErr> {
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

/// Gives a run back to the queue at an ordered stop; nobody has to wait until it is stale.
///
/// # Errors
/// When the database fails; then it becomes stale.
pub async fn give_back(db: &Db, id: RunId, epoch: i64) -> Result<(), DbErr> {
    let tx = db.write().await?;
    let sql = format!(
        "UPDATE topology_runs SET status = 'queued', owner = NULL, version = version + 1 \
         WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING {MOVED}"
    );
    moved(&*tx, &sql, vec![id.into(), epoch.into()]).await?;
    tx.commit().await
}

/// Which silent runs the sweeper looks for.
#[derive(Debug, Clone, Copy)]
pub enum Silent<'a> {
    /// Whose owner gave no sign of life for this long.
    For(Duration),
    /// Whose owner is certainly dead: not this one, on a database that only one gateway can have open.
    NotOf(&'a str),
}

/// Puts silent runs back into the queue; cancelled ones are ended, and those that were claimed too often fail. In the
/// caller's transaction, which tells of them.
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
    let sql = format!(
        "UPDATE topology_runs SET owner = NULL, version = version + 1, epoch = epoch + 1, \
           status = CASE WHEN cancel_requested_ms IS NOT NULL THEN 'cancelled' WHEN claims >= {MOST_CLAIMS} THEN 'failed' ELSE 'queued' END, \
           error = CASE WHEN cancel_requested_ms IS NULL AND claims >= {MOST_CLAIMS} \
             THEN 'Whoever worked on this run died of it {MOST_CLAIMS} times; it is not tried again.' ELSE error END, \
           error_code = CASE WHEN cancel_requested_ms IS NULL AND claims >= {MOST_CLAIMS} THEN 'gave-up' ELSE error_code END, \
           ended_ms = CASE WHEN cancel_requested_ms IS NOT NULL OR claims >= {MOST_CLAIMS} THEN {now} ELSE ended_ms END \
         WHERE status = 'running' AND {which} RETURNING {MOVED}"
    );
    let moved = moved(&**tx, &sql, values).await?;
    for over in moved.iter().filter(|row| row.is_over()) {
        close_steps(tx, over.id).await?;
    }
    Ok(moved)
}

/// Marks a run and all that it has started: those that wait end at once, those at work are ended by their owners. What is
/// over stays as it is. In the caller's transaction, which tells of them.
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
        // On PostgreSQL a child that was born while this waited for its parent's row is seen by the next look only. After
        // it none is born: a birth passes its parent's fence.
        all.extend(moved);
    }
    Ok(all)
}

/// Steps that were at work when their run ended are not at work any more.
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

/// `IN (…)` for SQLite, `= ANY (…)` for PostgreSQL, which then prepares one statement for any number.
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
