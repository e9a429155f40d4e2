//! An agent asks.

use chrono::TimeDelta;

use crate::domains::auth::WorkspaceScope;
use crate::domains::doors::dto::NewDoor;
use crate::domains::doors::entity::Model;
use crate::domains::doors::model::DoorState;
use crate::domains::doors::routes::DoorsState;
use crate::domains::doors::{DoorError, catalogue, store};
use crate::domains::{audit, claws};
use crate::events::{self, DoorRequest, Event, ResourceKind};
use crate::ids::{DoorId, UserId};

/// How long a person has; then it is a no.
const OPEN: TimeDelta = TimeDelta::hours(24);
/// Doors of a workspace that may wait.
const MOST_PENDING: u64 = 500;
/// Longest text of a line, in bytes.
const LINE: usize = 300;

/// Asks for an action. Nothing happens outside before a person approved.
///
/// # Errors
/// See [`DoorError`].
pub async fn ask(
    doors: &DoorsState,
    scope: WorkspaceScope,
    user: UserId,
    id: DoorId,
    new: NewDoor,
) -> Result<Model, DoorError> {
    let claw = claws::store::get(doors.db.read(), scope, new.agent_id).await?;
    let claw = claw
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(DoorError::NoClaw)?;
    let action = catalogue::action(&new.action).ok_or(DoorError::NoAction)?;
    let plan = action.plan(&new.params).map_err(DoorError::BadParams)?;
    // Said now, when the agent can still do something about it, and not after a person took the trouble.
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
    let mut tx = doors.db.write().await?;
    if !claws::store::hold_living(&*tx, scope, row.agent_id).await? {
        return Err(DoorError::NoClaw);
    }
    if store::count_pending(&*tx, scope).await? >= MOST_PENDING {
        return Err(DoorError::TooMany { most: MOST_PENDING });
    }
    store::insert(&*tx, row.clone()).await?;
    let details = serde_json::json!({
        "action": row.action, "target": row.target, "agent_id": row.agent_id, "agent": row.agent_name,
    });
    audit::record(
        &tx,
        &doors.ids,
        now,
        scope,
        user,
        "door.requested",
        ("door", &id),
        details,
    )
    .await?;
    let facts = [
        Event::DoorRequest(DoorRequest {
            door_id: id,
            agent_id: row.agent_id,
            action: row.action.clone(),
            target: Some(row.target.clone()),
            summary: Some(row.summary.clone()),
        }),
        Event::changed(ResourceKind::Door, id, 1),
    ];
    events::append(&mut tx, scope.workspace(), now, facts).await?;
    tx.commit().await?;
    Ok(row)
}
