//! The state of an agent, set by what really happens to its sandbox. The `sandboxes` domain calls [`set`] inside its own
//! transactions; the event is told with their commit.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::store;
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs;
use crate::events::{self, AgentState, AgentStatus, Event};
use crate::ids::ClawId;

/// Sets the state; when it is a new one, `agent.status` is told.
///
/// # Errors
/// When the database fails.
pub async fn set(
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    id: ClawId,
    state: AgentState,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    // A sandbox that rests between two commands of a step is not an agent that rests.
    let state = match state {
        AgentState::Idle | AgentState::Online if runs::store::at_work(&**tx, id).await? > 0 => {
            AgentState::Working
        }
        other => other,
    };
    if let Some(row) = store::set_status(&**tx, scope, id, state.as_str(), now).await? {
        let event = Event::AgentStatus(AgentStatus {
            agent_id: id,
            status: state,
            role: row.role,
        });
        events::append(tx, scope.workspace(), now, [event]).await?;
    }
    Ok(())
}
