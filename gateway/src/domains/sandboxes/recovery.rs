//! What must go on after a start, and what the machines tell by themselves.

use roost_protocol::control::GoneCause;
use roost_protocol::sandbox::{ContainerState, SandboxFacts};

use super::model::{Fact, State};
use super::reading::LOCAL;
use super::settle::{self, Change};
use super::{SandboxError, SandboxesHandle, store, working};
use crate::domains::auth::WorkspaceScope;
use crate::ids::{NodeId, SandboxId};
use crate::operations::Target;

/// How old a container without a row must be before its machine removes it, seconds. A provision that is under way has a
/// row before the machine is asked, so only what was forgotten gets this old.
const ORPHAN_GRACE_S: u64 = 300;

/// How often the registry is looked at for transitions that nobody carries.
pub const EVERY: std::time::Duration = std::time::Duration::from_secs(30);

/// Starts a job for each transition and each command that was cut off. Also carries on what another replica left behind.
///
/// # Errors
/// When the database fails.
pub async fn resume(sandboxes: &SandboxesHandle) -> Result<(), SandboxError> {
    for row in store::in_transition(sandboxes.db.read()).await? {
        settle::ensure_watch(sandboxes, &row).await?;
    }
    working::resume(sandboxes).await
}

fn machine(node: Option<NodeId>) -> String {
    node.map_or_else(|| LOCAL.to_owned(), |node| node.to_string())
}

async fn each(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    states: &[State],
    fact_of: impl Fn(SandboxId) -> Option<(Fact, Option<String>)>,
) -> Result<(), SandboxError> {
    for row in store::on_machine(sandboxes.db.read(), &machine(node), states).await? {
        let Some((fact, detail)) = fact_of(row.id) else {
            continue;
        };
        let mut tx = sandboxes.db.write().await?;
        let change = Change {
            detail,
            ..Change::default()
        };
        if settle::step(&mut tx, sandboxes, row, fact, change)
            .await?
            .is_some()
        {
            tx.commit().await?;
        }
    }
    Ok(())
}

/// The machines that hold live or lost sandboxes.
///
/// # Errors
/// When the database fails.
pub async fn nodes_with_sandboxes(
    sandboxes: &SandboxesHandle,
) -> Result<Vec<NodeId>, SandboxError> {
    let machines = store::machines(sandboxes.db.read()).await?;
    Ok(machines
        .iter()
        .filter_map(|machine| super::reading::node_of(machine))
        .collect())
}

/// A sandbox ended on its machine without being asked. A machine can only tell of its own.
///
/// # Errors
/// When the database fails.
pub async fn gone(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    sandbox: SandboxId,
    cause: GoneCause,
) -> Result<(), SandboxError> {
    let detail = match cause {
        GoneCause::LeaseOver => "it was not used for its whole lease; the workspace is stored",
        GoneCause::Exited => "its first process ended",
        GoneCause::OutOfMemory => "it used more memory than it may",
        GoneCause::Owner => "the owner of the machine ended it",
        GoneCause::Orphan => "no row claimed it any more",
        GoneCause::Unknown => "the machine did not say why",
    };
    let states = [State::Provisioning, State::Running, State::Destroying];
    each(sandboxes, node, &states, |id| {
        if id == sandbox && cause == GoneCause::Orphan {
            crate::promises::Watch::ClaimedRemoved.note(&id);
        }
        (id == sandbox).then(|| (Fact::Gone, Some(detail.to_owned())))
    })
    .await
}

/// A machine's whole inventory: what should run and does not has stopped, what was lost is found again. Rows that are in a transition are left to their jobs.
///
/// # Errors
/// When the database fails.
pub async fn inventory(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    found: &[SandboxFacts],
) -> Result<(), SandboxError> {
    let running = |id: SandboxId| {
        found
            .iter()
            .any(|facts| facts.sandbox.uuid() == id.0 && facts.state == ContainerState::Running)
    };
    each(sandboxes, node, &[State::Running], |id| {
        (!running(id)).then(|| {
            (
                Fact::Gone,
                Some("it did not run any more when its machine came back".to_owned()),
            )
        })
    })
    .await?;
    each(sandboxes, node, &[State::Lost], |id| {
        running(id).then_some((Fact::SeenRunning, None))
    })
    .await?;
    Ok(())
}

/// Names to a machine what should exist there: what is ours, older than the grace and not named is removed. A machine
/// answers with its inventory, so this is never called because of one.
///
/// # Errors
/// When the database fails.
pub async fn reconcile(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
) -> Result<(), SandboxError> {
    let wanted = store::live_on(sandboxes.db.read(), &machine(node)).await?;
    let target = node.map_or(Target::Local, Target::Node);
    // An engine whose actor restarts just now is asked at its next connection or sweep.
    let _ = sandboxes
        .operations
        .reconcile(target, wanted, ORPHAN_GRACE_S);
    Ok(())
}

/// A machine was deleted: what it destroyed before it left is destroyed, what else was there is lost.
///
/// # Errors
/// When the database fails.
pub async fn machine_deleted(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    node: NodeId,
    destroyed: &[SandboxId],
) -> Result<(), SandboxError> {
    // Another gateway may have called some lost before the one that holds the machine knew better.
    let current = State::ALL.into_iter().filter(|state| state.current());
    let current: Vec<State> = current.collect();
    each(sandboxes, Some(node), &current, |id| {
        let detail = "destroyed when its machine was removed from the fleet".to_owned();
        destroyed
            .contains(&id)
            .then_some((Fact::RemovedWithMachine, Some(detail)))
    })
    .await?;
    let states = [State::Provisioning, State::Running, State::Destroying];
    each(sandboxes, Some(node), &states, |_| {
        Some((
            Fact::MachineLost,
            Some("its machine was removed from the fleet".to_owned()),
        ))
    })
    .await?;
    let (setting, _) = store::placement(sandboxes.db.read(), scope).await?;
    if setting == super::model::Setting::Node(node) {
        super::commands::set_placement(sandboxes, scope, crate::ids::UserId::SYSTEM, None).await?;
    }
    Ok(())
}
