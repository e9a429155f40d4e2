//! An agent requests an action.

use chrono::TimeDelta;

use crate::doors::dto::NewDoor;
use crate::doors::entity::Model;
use crate::doors::model::DoorState;
use crate::doors::{DoorError, DoorsContext, catalogue, store};
use roost_agents::claws;
use roost_platform::events::{DoorRequest, Event, ResourceKind};
use roost_platform::ids::{DoorId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How long a person has to decide; then the door expires, and nothing is sent.
const OPEN: TimeDelta = TimeDelta::hours(24);
/// The most doors of a workspace that may wait.
const MOST_PENDING: u64 = 500;
/// Longest text of a line, in bytes.
const LINE: usize = 300;

/// Requests an action. Nothing is sent before a person has approved.
///
/// # Errors
/// See [`DoorError`].
pub async fn ask(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: DoorId,
    new: NewDoor,
) -> Result<Model, DoorError> {
    let claw = claws::find(doors.db.read(), scope, new.agent_id).await?;
    let claw = claw
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(DoorError::NoClaw)?;
    let action = catalogue::action(&new.action).ok_or(DoorError::NoAction)?;
    let plan = action.plan(&new.params).map_err(DoorError::BadParams)?;
    // The error comes now, while the agent can still react, and not after a person has decided.
    let address = doors
        .apps
        .address(scope, claw.id, action.provider, &plan.outgoing)
        .await?
        .ok_or(DoorError::NotConnected(action.provider))?;
    let now = doors.clock.now();
    let row = Model {
        id,
        workspace_id: scope.workspace(),
        agent_id: claw.id,
        agent_name: claw.name,
        action: action.name.to_owned(),
        target: roost_protocol::text::clean(&plan.target, LINE),
        summary: roost_protocol::text::clean(&plan.summary, LINE),
        address: address.into(),
        params: new.params,
        state: DoorState::Pending.as_str().to_owned(),
        requested_by: user,
        created_at: now,
        expires_at: now + OPEN,
        decided_by: None,
        decided_at: None,
        begun_at: None,
        ended_at: None,
        result_status: None,
        result_url: None,
        result_message: None,
    };
    let mut change = Change::begin(doors, scope, user).await?;
    if !claws::lock_living(change.tx(), scope, row.agent_id).await? {
        return Err(DoorError::NoClaw);
    }
    if store::count_pending(change.tx(), scope).await? >= MOST_PENDING {
        return Err(DoorError::TooMany { most: MOST_PENDING });
    }
    store::insert(change.tx(), row.clone()).await?;
    let details = serde_json::json!({
        "action": row.action, "target": row.target, "agent_id": row.agent_id, "agent": row.agent_name,
    });
    change.record("door.requested", ("door", &id), details);
    change.event(Event::DoorRequest(DoorRequest {
        door_id: id,
        agent_id: row.agent_id,
        action: row.action.clone(),
        target: Some(row.target.clone()),
        summary: Some(row.summary.clone()),
    }));
    change.event(Event::changed(ResourceKind::Door, id, 1));
    change.commit().await?;
    Ok(row)
}
