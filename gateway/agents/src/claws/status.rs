//! The state of an agent, set by events of its sandbox and its runs. Those domains call [`set`] or [`change`] inside
//! their own transactions; their commit publishes the event.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::store;
use roost_platform::db::WriteTx;
use roost_platform::events::{self, AgentState, AgentStatus, Event, Stamped};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// Sets the state. A new state appends the event `agent.status`.
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

/// As [`set`], but the caller appends the event, with others of the same transaction. The head of the workspace's log
/// is locked from the first append until the commit, and all other writers in that workspace wait for it.
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
