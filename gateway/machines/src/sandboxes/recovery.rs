//! Continues transitions after a start, and handles what machines report by themselves.

use chrono::{DateTime, Utc};
use roost_protocol::control::GoneCause;
use roost_protocol::sandbox::{ContainerState, SandboxFacts};

use super::engine::name_of;
use super::model::{Fact, State};
use super::transition::{self, Change};
use super::{SandboxError, SandboxesHandle, placement_store, purges, snapshots, store, working};
use crate::fleet::operations::Target;
use roost_platform::ids::{NodeId, SandboxId};
use roost_tenancy::auth::WorkspaceScope;

/// The age in seconds at which a machine removes a container without a row. A provision writes its row before the machine
/// gets the request, so only forgotten containers reach this age.
const ORPHAN_GRACE_S: u64 = 300;

/// How often the registry is checked for transitions without a job.
pub const EVERY: std::time::Duration = std::time::Duration::from_secs(30);

/// Starts a job for each transition and each command that was cut off, including those of another gateway.
///
/// # Errors
/// When the database fails.
pub async fn resume(sandboxes: &SandboxesHandle) -> Result<(), SandboxError> {
    for row in store::in_transition(sandboxes.db.read()).await? {
        transition::ensure_watch(sandboxes, &row).await?;
    }
    working::resume(sandboxes).await
}

async fn each(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    states: &[State],
    fact_of: impl Fn(SandboxId) -> Option<(Fact, Option<String>)>,
) -> Result<(), SandboxError> {
    for row in store::on_machine(sandboxes.db.read(), &name_of(node), states).await? {
        let Some((fact, detail)) = fact_of(row.id) else {
            continue;
        };
        let mut tx = sandboxes.db.write().await?;
        // If another task changes the row now, the machine's report must not get lost.
        let scope = WorkspaceScope::of_row(row.workspace_id);
        store::lock(&tx, scope, row.owner_id).await?;
        let present = store::get(&*tx, scope, row.id).await?;
        let Some(row) = present
            .filter(|row| State::parse(&row.state).is_some_and(|state| states.contains(&state)))
        else {
            continue;
        };
        let change = Change {
            detail,
            ..Change::default()
        };
        if transition::apply(&mut tx, sandboxes, row, fact, change)
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
        .filter_map(|machine| super::engine::node_of(machine))
        .collect())
}

/// The machines that get the list of what should exist on them: those with sandboxes, and those with stored workspaces.
///
/// # Errors
/// When the database fails.
pub async fn nodes_to_reconcile(sandboxes: &SandboxesHandle) -> Result<Vec<NodeId>, SandboxError> {
    let machines = store::machines_with_anything(sandboxes.db.read()).await?;
    let nodes = machines
        .iter()
        .filter_map(|machine| super::engine::node_of(machine));
    Ok(nodes.collect())
}

/// A sandbox ended on its machine without a request. A machine can only report its own sandboxes.
///
/// # Errors
/// When the database fails.
pub async fn gone(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    sandbox: SandboxId,
    cause: GoneCause,
) -> Result<(), SandboxError> {
    let (db, machine) = (sandboxes.db.read(), name_of(node));
    let Some(row) = store::of_machine(db, &machine, sandbox).await? else {
        return Ok(());
    };
    // A machine says that it stored something before it says that the sandbox ended.
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let stored = snapshots::store::newest(db, scope, row.owner_id).await?;
    let detail = ended_because(cause, stored.map(|snapshot| snapshot.taken_at));
    let states = [State::Provisioning, State::Running, State::Destroying];
    each(sandboxes, node, &states, |id| {
        if id == sandbox && cause == GoneCause::Orphan {
            roost_platform::promises::Watch::ClaimedRemoved.note(&id);
        }
        (id == sandbox).then(|| (Fact::Gone, Some(detail.clone())))
    })
    .await
}

/// Why a sandbox ended, and what is left of its files: `stored` is the time of the latest snapshot of its owner.
fn ended_because(cause: GoneCause, stored: Option<DateTime<Utc>>) -> String {
    let why = match cause {
        GoneCause::LeaseOver => "it was not used for its whole lease",
        GoneCause::Exited => "its first process ended",
        GoneCause::OutOfMemory => "it used more memory than it may",
        GoneCause::Owner => "the owner of the machine ended it",
        GoneCause::Orphan => "no row claimed it any more",
        GoneCause::Unknown => "the machine did not say why",
    };
    match stored {
        Some(at) => format!(
            "{why}; its files are stored as of {}",
            snapshots::minute(at)
        ),
        None => format!("{why}; none of its files are stored"),
    }
}

/// Compares with a machine's complete inventory. A sandbox that should run and does not has stopped; a lost one that runs
/// is found again. Rows in a transition are left to their jobs.
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

/// Sends a machine the list of what should exist there. The machine removes our other sandboxes that are older than the
/// grace. It answers with its inventory, so an inventory must never cause this call.
///
/// # Errors
/// When the database fails.
pub async fn reconcile(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
) -> Result<(), SandboxError> {
    let (db, machine) = (sandboxes.db.read(), name_of(node));
    let wanted = store::live_on(db, &machine).await?;
    let kept = store::kept_on(db, &machine).await?;
    if kept.is_none() {
        tracing::warn!(
            machine,
            "more stored workspaces are known than can be said, so none is removed to make room"
        );
    }
    let target = node.map_or(Target::Local, Target::Node);
    // An engine whose actor is restarting gets the list at its next connection or sweep.
    let _ = sandboxes
        .operations
        .reconcile(target, wanted, ORPHAN_GRACE_S, kept);
    Ok(())
}

/// A machine was deleted: sandboxes that it confirmed to have destroyed are destroyed, the others are lost.
///
/// # Errors
/// When the database fails.
pub async fn machine_deleted(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    node: NodeId,
    destroyed: &[SandboxId],
) -> Result<(), SandboxError> {
    // Another gateway may have marked some as lost before the gateway that holds the machine had its report.
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
    purges::machine_gone(sandboxes, node).await?;
    let (setting, _) = placement_store::placement(sandboxes.db.read(), scope).await?;
    if setting == super::model::Setting::Node(node) {
        super::commands::set_placement(sandboxes, scope, roost_platform::ids::UserId::SYSTEM, None)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn end_of_a_sandbox_says_what_is_stored_and_never_more() {
        let at = Utc.with_ymd_and_hms(2026, 11, 28, 21, 30, 59).single();
        assert!(at.is_some());
        let said = ended_because(GoneCause::LeaseOver, at);
        assert_eq!(
            said,
            "it was not used for its whole lease; its files are stored as of 2026-11-28 21:30 UTC"
        );
        let said = ended_because(GoneCause::LeaseOver, None);
        assert_eq!(
            said,
            "it was not used for its whole lease; none of its files are stored"
        );
        // A container that ended by itself was not stored at its end: the time is that of the snapshot before it.
        let said = ended_because(GoneCause::Exited, at);
        assert_eq!(
            said,
            "its first process ended; its files are stored as of 2026-11-28 21:30 UTC"
        );
    }
}
