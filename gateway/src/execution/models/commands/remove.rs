//! Removes a model, and the broker deletes its key. A step of an agent that is bound to it fails with a message.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{record_name, write_down};
use crate::execution::models::{ModelsContext, ModelsError, store};
use crate::platform::broker::outbox;
use crate::platform::db::WriteTx;
use crate::platform::ids::{ModelId, UserId};
use crate::tenancy::auth::WorkspaceScope;

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
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope, id).await?;
    let mut row = row.ok_or(ModelsError::None)?;
    if !store::remove(&tx, scope, id).await? {
        return Err(ModelsError::None);
    }
    outbox::forget(&tx, &record_name(&row)?, state.clock.now()).await?;
    row.version += 1;
    write_down(state, &mut tx, (scope, user), &row, "models.removed").await?;
    tx.commit().await?;
    state.credentials.nudge();
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
