//! A person decides.

use crate::connections::doors::entity::Model;
use crate::connections::doors::model::DoorState;
use crate::connections::doors::{DoorError, DoorsContext, store};
use crate::platform::events::Decision;
use crate::platform::ids::DoorId;
use crate::tenancy::audit;
use crate::tenancy::auth::{Caller, WorkspaceScope};

/// Decides. A second or late decision changes nothing and returns the present state.
///
/// # Errors
/// [`DoorError::NotFound`].
pub async fn resolve(
    doors: &DoorsContext,
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
    store::publish_resolved(&mut tx, &door, decision, Some(by.user.name.clone()), now).await?;
    tx.commit().await?;
    if decision == Decision::Approve {
        doors.approvals.nudge();
    }
    Ok(door)
}
