//! Writes what happened to a sandbox: state, quota, the agent's status, events.

use crate::sandboxes::entity::container;
use crate::sandboxes::model::{Fact, State, after, quota_step};
use crate::sandboxes::{SandboxError, SandboxesHandle, store};
use roost_agents::claws;
use roost_platform::db::WriteTx;
use roost_platform::events::{self, AgentState, Event, ResourceKind, Stamped};
use roost_platform::ids::{OperationId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{QuotaKind, quota};

/// The changes besides the state.
#[derive(Debug, Default)]
pub(in crate::sandboxes) struct Change {
    pub operation: Option<OperationId>,
    pub container: Option<String>,
    pub detail: Option<String>,
    pub archive: Option<serde_json::Value>,
    pub restored: Option<serde_json::Value>,
}

/// Writes a fact: the new state, the quota, the agent's status and the events. `None` when it changes nothing.
pub(in crate::sandboxes) async fn apply(
    tx: &mut WriteTx,
    sandboxes: &SandboxesHandle,
    row: container::Model,
    fact: Fact,
    change: Change,
) -> Result<Option<container::Model>, SandboxError> {
    let Some(from) = State::parse(&row.state) else {
        return Ok(None);
    };
    let Some(to) = after(from, fact) else {
        return Ok(None);
    };
    let now = sandboxes.clock.now();
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let version = row.version;
    let changed = container::Model {
        state: to.as_str().to_owned(),
        operation_id: change.operation,
        container: change.container.or(row.container),
        detail: change.detail,
        archive: change.archive.or(row.archive),
        restored: change.restored.or(row.restored),
        ended_at: if to.live() {
            None
        } else {
            row.ended_at.or(Some(now))
        },
        version: version + 1,
        ..row
    };
    if !store::replace(&**tx, &changed, version).await? {
        return Ok(None);
    }
    let mut facts = vec![Event::changed(
        ResourceKind::Sandbox,
        changed.id,
        changed.version,
    )];
    match quota_step(Some(from), to) {
        0 => {}
        step => {
            if step > 0 {
                quota::take(tx, scope, &sandboxes.plans, QuotaKind::LiveContainers, 1).await?;
            } else {
                quota::give_back(tx, scope, QuotaKind::LiveContainers).await?;
            }
            facts.push(Event::changed(
                ResourceKind::Quota,
                scope.workspace(),
                changed.version,
            ));
        }
    }
    let mut facts: Vec<Stamped> = facts.into_iter().map(Into::into).collect();
    let status = if to == State::Running {
        AgentState::Online
    } else {
        AgentState::Offline
    };
    // The agents of a team have the status of their own sandboxes and steps.
    if let (true, Some(agent)) = (to != State::Provisioning, changed.owner().agent()) {
        let runs = to == State::Running;
        // Locks the agent before the log, as the end of a run does: a different order could deadlock.
        claws::status::set_sandbox(tx, scope, agent, runs).await?;
        facts.extend(claws::status::change(tx, scope, agent, status).await?);
    }
    events::append(tx, scope.workspace(), now, facts).await?;
    Ok(Some(changed))
}

/// [`apply`] in a transaction of its own.
pub(super) async fn write(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    fact: Fact,
    change: Change,
) -> Result<Option<container::Model>, SandboxError> {
    let mut tx = sandboxes.db.write().await?;
    let written = apply(&mut tx, sandboxes, row.clone(), fact, change).await?;
    if written.is_some() {
        tx.commit().await?;
    }
    Ok(written)
}

/// Gives the request a new operation. The old id would get the old answer.
pub(super) async fn repeat(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<(), SandboxError> {
    let tx = sandboxes.db.write().await?;
    let again = container::Model {
        operation_id: Some(fresh(&sandboxes.ids)),
        version: row.version + 1,
        ..row.clone()
    };
    if store::replace(&*tx, &again, row.version).await? {
        tx.commit().await?;
    }
    Ok(())
}
