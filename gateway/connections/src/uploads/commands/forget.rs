//! Deletes uploads: with the outputs of their runs, and with their workspace.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::record_name;
use crate::uploads::entity::Model;
use crate::uploads::store;
use roost_platform::broker::outbox;
use roost_platform::db::WriteTx;
use roost_tenancy::auth::WorkspaceScope;

/// Deletes an upload that no run with outputs works on.
///
/// # Errors
/// When the database fails.
pub async fn forget_unused(tx: &WriteTx, row: &Model, now: DateTime<Utc>) -> Result<(), DbErr> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    store::remove(tx, scope, row.id).await?;
    outbox::forget(tx, &record_name(row.workspace_id, row.id)?, now).await
}

/// Deletes all uploads of a workspace that is being removed.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    for row in store::all(&**tx, scope).await? {
        forget_unused(tx, &row, now).await?;
    }
    Ok(())
}
