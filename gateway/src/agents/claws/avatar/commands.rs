//! Uploading and removing a picture: row, audit entry and event in one transaction.

use sha2::{Digest, Sha256};

use super::entity::avatar;
use super::store;
use crate::agents::claws::entity::claw;
use crate::agents::claws::{ClawError, ClawsContext, store as claws};
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{ClawId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// Stores the picture, which was re-encoded before. Returns its hash.
///
/// # Errors
/// [`ClawError::NotFound`].
pub async fn upload(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    png: Vec<u8>,
) -> Result<String, ClawError> {
    let mut tx = state.db.write().await?;
    let agent = present(&tx, scope, id).await?;
    let sha256 = hex::encode(Sha256::digest(&png));
    let before = store::hashes_of(&*tx, scope, &[id]).await?;
    if before.get(&id) == Some(&sha256) {
        return Ok(sha256);
    }
    let details = serde_json::json!({ "name": agent.name, "sha256": sha256, "bytes": png.len() });
    let row = avatar::Model {
        claw_id: id,
        workspace_id: scope.workspace(),
        png,
        sha256: sha256.clone(),
        uploaded_by: user,
        at: state.clock.now(),
    };
    store::put(&*tx, row).await?;
    record_change(
        state,
        &mut tx,
        scope,
        user,
        &agent,
        "avatar.uploaded",
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(sha256)
}

/// Removes the picture; the drawn one is shown again. Without a picture nothing changes.
///
/// # Errors
/// [`ClawError::NotFound`].
pub async fn remove(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
) -> Result<(), ClawError> {
    let mut tx = state.db.write().await?;
    let agent = present(&tx, scope, id).await?;
    if store::remove_of(&*tx, scope, id).await? {
        let details = serde_json::json!({ "name": agent.name });
        record_change(
            state,
            &mut tx,
            scope,
            user,
            &agent,
            "avatar.removed",
            details,
        )
        .await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn present(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: ClawId,
) -> Result<claw::Model, ClawError> {
    claws::get(&**tx, scope, id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(ClawError::NotFound)
}

async fn record_change(
    state: &ClawsContext,
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    agent: &claw::Model,
    action: &str,
    details: serde_json::Value,
) -> Result<(), ClawError> {
    let (id, now) = (agent.id, state.clock.now());
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        action,
        ("claw", &id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Claw, id, agent.version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}
