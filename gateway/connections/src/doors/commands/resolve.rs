//! A person decides.

use super::super::dto::Resolution;
use crate::doors::entity::Model;
use crate::doors::model::DoorState;
use crate::doors::{DoorError, DoorsContext, store};
use roost_platform::events::Decision;
use roost_platform::ids::DoorId;
use roost_tenancy::auth::{Caller, WorkspaceScope};
use roost_tenancy::change::Change;

/// Decides. A second or late decision changes nothing and returns the present state.
///
/// # Errors
/// [`DoorError::NotFound`].
pub async fn resolve(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    by: &Caller,
    id: DoorId,
    Resolution { decision, reason }: Resolution,
) -> Result<Model, DoorError> {
    let (state, action) = match decision {
        Decision::Approve => (DoorState::Approved, "door.approved"),
        Decision::Deny => (DoorState::Denied, "door.denied"),
    };
    let found = store::get(doors.db.read(), scope, id).await?;
    let found = found.ok_or(DoorError::NotFound)?;
    let mut change = Change::begin(doors, scope, by.user.id).await?;
    let now = change.now();
    if let Some(run) = found.run_id {
        doors.runs.lock(&change, run).await?;
    }
    let why = reason.as_deref();
    let Some(door) = store::decide(&change, scope, id, (state, why), by.user.id, now).await? else {
        return store::get(change.tx(), scope, id)
            .await?
            .ok_or(DoorError::NotFound);
    };
    let details = serde_json::json!({
        "action": door.action, "target": door.target, "agent_id": door.agent_id, "agent": door.agent_name,
        "reason": reason,
    });
    change.record(action, ("door", &id), details);
    if decision == Decision::Deny {
        doors.runs.wake(&mut change, id).await?;
    }
    change.events(store::resolved(&door, decision, Some(by.user.name.clone())));
    if decision == Decision::Approve {
        change.wake(&doors.approvals);
    }
    change.commit().await?;
    Ok(door)
}
