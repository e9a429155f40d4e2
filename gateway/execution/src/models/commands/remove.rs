//! Removes a model, and the broker deletes its key. A step of an agent that is bound to it fails with a message.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{record_name, write_down};
use crate::models::{ModelsContext, ModelsError, store};
use roost_platform::broker::outbox;
use roost_platform::db::WriteTx;
use roost_platform::ids::{ModelId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Removes the model.
///
/// # Errors
/// [`ModelsError::None`].
pub async fn remove(
    state: &ModelsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ModelId,
) -> Result<(), ModelsError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::get(change.tx(), scope, id).await?;
    let mut row = row.ok_or(ModelsError::None)?;
    if !store::remove(&change, scope, id).await? {
        return Err(ModelsError::None);
    }
    let key = record_name(&row)?;
    state.credentials.forget(&mut change, &key).await?;
    row.version += 1;
    write_down(&mut change, &row, "models.removed");
    change.commit().await?;
    Ok(())
}

/// Removes all models of a workspace that is being deleted.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    for row in store::all(&**tx, scope).await? {
        store::remove(tx, scope, row.id).await?;
        outbox::forget(tx, &record_name(&row)?, now).await?;
    }
    store::remove_ceilings(tx, scope).await
}
