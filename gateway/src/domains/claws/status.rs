//! The state of an agent, set by what really happens to its sandbox and in its runs. Those domains call [`set`] or
//! [`change`] inside their own transactions; the event is told with their commit.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::store;
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs;
use crate::events::{self, AgentState, AgentStatus, Event, Stamped};
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
    let event = change(tx, scope, id, state, now).await?;
    events::append(tx, scope.workspace(), now, event).await
}

/// As [`set`]; the event is for the caller to append, with others of the same transaction: the head of the workspace's
/// log is locked from the first append until the commit, and all who write in that workspace wait for it.
///
/// # Errors
/// When the database fails.
pub async fn change(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: ClawId,
    state: AgentState,
    now: DateTime<Utc>,
) -> Result<Option<Stamped>, DbErr> {
    // A sandbox that rests between two commands of a step is not an agent that rests.
    let state = match state {
        AgentState::Idle | AgentState::Online if runs::store::at_work(&**tx, id).await? > 0 => {
            AgentState::Working
        }
        other => other,
    };
    let changed = store::set_status(&**tx, scope, id, state.as_str(), now).await?;
    Ok(changed.map(|row| {
        Event::AgentStatus(AgentStatus {
            agent_id: id,
            status: state,
            role: row.role,
        })
        .into()
    }))
}
