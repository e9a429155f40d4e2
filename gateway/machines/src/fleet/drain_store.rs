//! SQL about draining machines.

use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Statement};

use super::draining::Draining;
use super::entity::node;
use super::store;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::WorkspaceScope;

/// The draining machines whose connections this gateway has, of all workspaces.
///
/// # Errors
/// When the database fails.
pub async fn draining_on(db: &impl ConnectionTrait, replica: &str) -> Result<Vec<Draining>, DbErr> {
    let rows = node::Entity::find()
        .filter(node::Column::Draining.eq(true))
        .filter(node::Column::HeldBy.eq(replica))
        .filter(node::Column::DeletedAt.is_null())
        .all(db)
        .await?;
    Ok(rows.iter().filter_map(Draining::of).collect())
}

/// A machine of the workspace; the inner `None`: it does not drain.
///
/// # Errors
/// When the database fails.
pub async fn draining_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<Option<Option<Draining>>, DbErr> {
    let row = store::get(db, scope, id).await?;
    Ok(row.map(|row| Draining::of(&row)))
}

/// Whether the sandboxes of the machine still move by the same wish. Locks its row until the end of the transaction, so
/// an undrain waits for it.
///
/// # Errors
/// When the database fails.
pub async fn still_moves_locked(tx: &WriteTx, machine: &Draining) -> Result<bool, DbErr> {
    let lock = match tx.backend() {
        Backend::Postgres => "FOR SHARE",
        Backend::Sqlite => "",
    };
    let sql = format!(
        "SELECT id FROM nodes WHERE id = $1 AND drain_turn = $2 AND draining AND drain_move \
         AND deleted_at IS NULL {lock}"
    );
    let values = [machine.node.into(), machine.turn.into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    Ok(tx.query_one_raw(statement).await?.is_some())
}

/// Records since when nothing that is needed is on the machine, if it still moves by the same wish; `None`: something is
/// there again. Returns the new version.
pub(super) async fn set_emptied(
    tx: &WriteTx,
    machine: &Draining,
    at: Option<DateTime<Utc>>,
) -> Result<Option<i64>, DbErr> {
    let condition = match at {
        // Only the machine itself says that it is empty.
        Some(_) => "drained AND emptied_at IS NULL",
        None => "emptied_at IS NOT NULL",
    };
    let sql = format!(
        "UPDATE nodes SET version = version + 1, emptied_at = $3 WHERE id = $1 AND drain_turn = $2 \
         AND draining AND drain_move AND deleted_at IS NULL AND {condition} RETURNING version"
    );
    let values = [machine.node.into(), machine.turn.into(), at.into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let row = tx.query_one_raw(statement).await?;
    row.map(|row| row.try_get("", "version")).transpose()
}
