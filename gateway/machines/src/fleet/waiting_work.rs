//! Work that waits for a machine. The work belongs to a higher wing, so the gateway wires the implementation.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::model::Connection;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::NodeId;

/// The work that waits for machines.
#[async_trait]
pub trait WaitingWork: Send + Sync + 'static {
    /// The machine is there again, or will never be: what waits for it continues after the commit. Called after the
    /// machine's row is written.
    ///
    /// # Errors
    /// When the database fails.
    async fn wake(&self, tx: &mut WriteTx, machine: NodeId) -> Result<(), DbErr>;
}

/// Locks the machine's row until the end of the transaction. Whether work must wait for the machine: it has no
/// connection, or it is draining.
///
/// # Errors
/// When the database fails.
pub async fn is_away_locked(tx: &WriteTx, machine: NodeId) -> Result<bool, DbErr> {
    let lock = match tx.backend() {
        Backend::Postgres => "FOR SHARE",
        Backend::Sqlite => "",
    };
    let sql = format!(
        "SELECT connection, draining, held_ms < {} AS let_go FROM nodes WHERE id = $1 AND deleted_at IS NULL {lock}",
        tx.backend().now_ms()
    );
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, [machine.into()]);
    let Some(row) = tx.query_one_raw(statement).await? else {
        return Ok(false);
    };
    let connection: String = row.try_get("", "connection")?;
    let (draining, let_go): (bool, bool) =
        (row.try_get("", "draining")?, row.try_get("", "let_go")?);
    let gone = Connection::from_stored(&connection) == Connection::Disconnected;
    Ok(gone || draining || let_go)
}
