//! Removing a model; the broker forgets its key. Agents that are bound to it say so when they are to think.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{record_name, write_down};
use crate::broker::outbox;
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::routes::ModelsState;
use crate::domains::models::{ModelsError, store};
use crate::ids::{ModelId, UserId};

/// Removes it.
///
/// # Errors
/// [`ModelsError::None`].
pub async fn remove(
    state: &ModelsState,
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

/// Removes all of a workspace that comes to its end.
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
