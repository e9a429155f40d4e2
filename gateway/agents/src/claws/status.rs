//! The state of an agent, set by events of its sandbox and its runs. Those domains call these functions inside their own
//! transactions; their commit publishes the event.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::state_store::{self, Changed};
use roost_platform::db::WriteTx;
use roost_platform::events::{self, AgentState, AgentStatus, Event, Stamped};
use roost_platform::ids::{ClawId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// Steps of agents begin (+1) or end (−1). Several steps of one agent are summed. Returns the events of the agents
/// whose status changes, in the order of their ids. The caller appends them.
///
/// # Errors
/// When the database fails.
pub async fn work(
    tx: &WriteTx,
    steps: impl IntoIterator<Item = (ClawId, i32)>,
) -> Result<Vec<(ClawId, WorkspaceId, Stamped)>, DbErr> {
    let changed = state_store::add(tx, &summed(steps)).await?;
    Ok(changed
        .into_iter()
        .map(|row| (row.agent_id, row.workspace_id, event(row)))
        .collect())
}

/// The sum for each agent. Agents whose sum is 0 keep their state.
fn summed(steps: impl IntoIterator<Item = (ClawId, i32)>) -> BTreeMap<ClawId, i32> {
    let mut sums = BTreeMap::new();
    for (agent, n) in steps {
        *sums.entry(agent).or_insert(0) += n;
    }
    sums.retain(|_, n| *n != 0);
    sums
}

/// Sets the state that a sandbox or a command decides. While a step of the agent is at work, an agent that would rest
/// stays `working`. A new state appends the event `agent.status`.
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
    let event = change(tx, scope, id, state).await?;
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
) -> Result<Option<Stamped>, DbErr> {
    Ok(state_store::set(tx, scope, id, state).await?.map(event))
}

/// Records whether the agent's sandbox runs: an agent without a step at work rests in it, or is offline.
///
/// # Errors
/// When the database fails.
pub async fn set_sandbox(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: ClawId,
    runs: bool,
) -> Result<(), DbErr> {
    state_store::set_sandbox(tx, scope, id, runs).await
}

fn event(row: Changed) -> Stamped {
    Event::AgentStatus(AgentStatus {
        agent_id: row.agent_id,
        status: AgentState::from_stored(&row.status),
        role: row.role,
    })
    .into()
}
