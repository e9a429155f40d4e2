//! Uploading and removing a picture: row, audit entry and event in one transaction.

use sha2::{Digest, Sha256};

use super::entity::avatar;
use super::store;
use crate::claws::entity::claw;
use crate::claws::{ClawError, ClawsContext, store as claws};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let mut change = Change::begin(state, scope, user).await?;
    let agent = present(&change, id).await?;
    let sha256 = hex::encode(Sha256::digest(&png));
    let before = store::hashes_of(change.tx(), scope, &[id]).await?;
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
        at: change.now(),
    };
    store::put(change.tx(), row).await?;
    record_change(&mut change, &agent, "avatar.uploaded", details);
    change.commit().await?;
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
    let mut change = Change::begin(state, scope, user).await?;
    let agent = present(&change, id).await?;
    if store::remove_of(change.tx(), scope, id).await? {
        let details = serde_json::json!({ "name": agent.name });
        record_change(&mut change, &agent, "avatar.removed", details);
        change.commit().await?;
    }
    Ok(())
}

async fn present(change: &Change, id: ClawId) -> Result<claw::Model, ClawError> {
    claws::get(change.tx(), change.scope(), id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(ClawError::NotFound)
}

fn record_change(
    change: &mut Change,
    agent: &claw::Model,
    action: &str,
    details: serde_json::Value,
) {
    change.record(action, ("claw", &agent.id), details);
    change.event(Event::changed(ResourceKind::Claw, agent.id, agent.version));
}
