//! A person decides.

use crate::domains::audit;
use crate::domains::auth::{Caller, WorkspaceScope};
use crate::domains::doors::entity::Model;
use crate::domains::doors::model::DoorState;
use crate::domains::doors::routes::DoorsState;
use crate::domains::doors::{DoorError, store};
use crate::events::Decision;
use crate::ids::DoorId;

/// Decides. Who comes second, or too late, changes nothing and sees how it stands.
///
/// # Errors
/// [`DoorError::NotFound`].
pub async fn resolve(
    doors: &DoorsState,
    scope: WorkspaceScope,
    by: &Caller,
    id: DoorId,
    decision: Decision,
) -> Result<Model, DoorError> {
    let now = doors.clock.now();
    let (state, action) = match decision {
        Decision::Approve => (DoorState::Approved, "door.approved"),
        Decision::Deny => (DoorState::Denied, "door.denied"),
    };
    let mut tx = doors.db.write().await?;
    let Some(door) = store::decide(&tx, scope, id, state, by.user.id, now).await? else {
        return store::get(&*tx, scope, id)
            .await?
            .ok_or(DoorError::NotFound);
    };
    let details = serde_json::json!({
        "action": door.action, "target": door.target, "agent_id": door.agent_id, "agent": door.agent_name,
    });
    audit::record(
        &tx,
        &doors.ids,
        now,
        scope,
        by.user.id,
        action,
        ("door", &id),
        details,
    )
    .await?;
    store::tell_resolved(&mut tx, &door, decision, Some(by.user.name.clone()), now).await?;
    tx.commit().await?;
    if decision == Decision::Approve {
        doors.keeper.nudge();
    }
    Ok(door)
}
