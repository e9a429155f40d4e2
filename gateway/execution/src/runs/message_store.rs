//! The rows of `run_messages`, and the marks of a tree of runs: what its owners find at their next write.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, Statement, Value,
};

use super::entity::{call, message};
use super::entry::EntryKind;
use super::queue::{MOVED, Moved};
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// The messages to a run, oldest first.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_run(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Vec<message::Model>, DbErr> {
    message::Entity::find_in(scope)
        .filter(message::Column::RunId.eq(run))
        .order_by_asc(message::Column::Id)
        .all(db)
        .await
}

/// The messages to all runs of a tree, oldest first.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_tree(
    db: &impl ConnectionTrait,
    root: RunId,
) -> Result<Vec<message::Model>, DbErr> {
    message::Entity::find()
        .filter(message::Column::RootRunId.eq(root))
        .order_by_asc(message::Column::Id)
        .all(db)
        .await
}

/// The number of messages to the runs of a tree.
///
/// # Errors
/// When the database fails.
pub(super) async fn count(db: &impl ConnectionTrait, root: RunId) -> Result<u64, DbErr> {
    message::Entity::find()
        .filter(message::Column::RootRunId.eq(root))
        .count(db)
        .await
}

/// Inserts a message.
///
/// # Errors
/// When the database fails.
pub(super) async fn insert(tx: &WriteTx, row: message::Model) -> Result<(), DbErr> {
    message::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Deletes the messages to these runs.
///
/// # Errors
/// When the database fails.
pub(super) async fn delete(tx: &WriteTx, runs: &[RunId]) -> Result<(), DbErr> {
    message::Entity::delete_many()
        .filter(message::Column::RunId.is_in(runs.iter().copied()))
        .exec(&**tx)
        .await
        .map(drop)
}

/// The notes in the journals of a run.
///
/// # Errors
/// When the database fails.
pub(super) async fn notes(
    db: &impl ConnectionTrait,
    run: RunId,
) -> Result<Vec<call::Model>, DbErr> {
    call::Entity::find()
        .filter(call::Column::RunId.eq(run))
        .filter(call::Column::Kind.eq(EntryKind::Note.as_str()))
        .order_by_asc(call::Column::EndedMs)
        .all(db)
        .await
}

/// What is written to a run and to all runs below it that have not ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    /// They stop at their next turn or call.
    Pause(UserId),
    /// They work again.
    Resume,
    /// There is something to hear.
    Message,
}

#[derive(FromQueryResult)]
struct Heard {
    most: Option<i32>,
}

/// Marks the open runs of the tree below this run. Returns those that changed. On PostgreSQL it locks them first, in the
/// order in which all transactions lock several runs.
///
/// # Errors
/// When the database fails.
pub(super) async fn mark(tx: &WriteTx, run: RunId, mark: Mark) -> Result<Vec<Moved>, DbErr> {
    const TREE: &str = "WITH RECURSIVE tree (id) AS (SELECT id FROM topology_runs WHERE id = $1 \
           UNION SELECT r.id FROM topology_runs r JOIN tree t ON r.parent_run_id = t.id)";
    let lock = format!(
        "{TREE} SELECT run_id FROM run_state WHERE run_id IN (SELECT id FROM tree) AND status IN ('queued', 'running') \
         ORDER BY run_id FOR UPDATE"
    );
    let statement = |sql: String, values: Vec<Value>| {
        Statement::from_sql_and_values(tx.backend().into(), sql, values)
    };
    let hold = async || match tx.backend() {
        Backend::Postgres => {
            let lock = statement(lock.clone(), vec![run.into()]);
            tx.execute_raw(lock).await.map(drop)
        }
        Backend::Sqlite => Ok(()),
    };
    hold().await?;
    let now = tx.backend().now_ms();
    let mut values: Vec<Value> = vec![run.into()];
    let (set, which) = match mark {
        Mark::Pause(by) => {
            values.push(by.into());
            (
                format!("paused_ms = {now}, paused_by = $2"),
                "paused_ms IS NULL AND cancel_requested_ms IS NULL",
            )
        }
        Mark::Resume => (
            "paused_ms = NULL, paused_by = NULL".to_owned(),
            "paused_ms IS NOT NULL",
        ),
        Mark::Message => {
            let most = format!(
                "{TREE} SELECT MAX(messages) AS most FROM run_state WHERE run_id IN (SELECT id FROM tree)"
            );
            let most = Heard::find_by_statement(statement(most, vec![run.into()]));
            let most = most.one(&**tx).await?.and_then(|row| row.most);
            values.push(most.unwrap_or(0).saturating_add(1).into());
            ("messages = $2".to_owned(), "messages < $2")
        }
    };
    let sql = format!(
        "{TREE} UPDATE run_state SET {set}, version = version + 1 WHERE run_id IN (SELECT id FROM tree) \
           AND status IN ('queued', 'running') AND {which} RETURNING {MOVED}"
    );
    let mut all = Vec::new();
    loop {
        let moved = Moved::find_by_statement(statement(sql.clone(), values.clone()))
            .all(&**tx)
            .await?;
        if moved.is_empty() {
            return Ok(all);
        }
        // On PostgreSQL, a child that was inserted while this transaction waited for its parent's row is visible only to
        // the next statement.
        all.extend(moved);
        hold().await?;
    }
}
