//! Listens to the facts that machines report and stores them. The rows are a cache of the machines' state: after missed
//! facts the listener reads the whole inventory again.

use roost_protocol::inventory::Inventory;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::snapshots::record;
use super::{SandboxError, SandboxesHandle, purges, recovery};
use crate::fleet::local::LocalFact;
use crate::fleet::{FleetHandle, NodeFact};
use roost_platform::ids::NodeId;
use roost_platform::supervision::Failure;
use roost_tenancy::auth::WorkspaceScope;

/// Runs until it fails; its supervisor starts it again.
///
/// # Errors
/// When the database fails, or when a source of facts has stopped.
pub(super) async fn listen(
    sandboxes: &SandboxesHandle,
    fleet: &FleetHandle,
    mut local: broadcast::Receiver<LocalFact>,
) -> Result<(), Failure> {
    let mut facts = fleet.facts();
    catch_up(sandboxes, fleet).await?;
    loop {
        tokio::select! {
            fact = facts.recv() => match fact {
                Ok(fact) => of_node(sandboxes, fact).await?,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(missed, "facts of machines were missed; their inventories are read again");
                    catch_up(sandboxes, fleet).await?;
                }
                Err(RecvError::Closed) => return Err("the fleet has stopped".into()),
            },
            fact = local.recv() => match fact {
                Ok(fact) => of_this_host(sandboxes, fact).await?,
                // The local engine reports its whole inventory at its next start.
                Err(RecvError::Lagged(missed)) => tracing::warn!(missed, "facts of the local engine were missed"),
                Err(RecvError::Closed) => return Err("the local engine has stopped".into()),
            },
        }
    }
}

/// Reads the inventories of all connected machines that should have sandboxes.
async fn catch_up(sandboxes: &SandboxesHandle, fleet: &FleetHandle) -> Result<(), Failure> {
    for node in recovery::nodes_with_sandboxes(sandboxes).await? {
        if let Ok(Some(inventory)) = fleet.inventory(node).await {
            compare(sandboxes, Some(node), &inventory).await?;
        }
    }
    Ok(())
}

async fn of_node(sandboxes: &SandboxesHandle, fact: NodeFact) -> Result<(), SandboxError> {
    match fact {
        NodeFact::Connected {
            node, inventory, ..
        } => {
            compare(sandboxes, Some(node), &inventory).await?;
            recovery::reconcile(sandboxes, Some(node)).await?;
            purges::send(sandboxes, Some(node)).await?;
            // Another gateway may have begun work there; the gateway that holds the machine now continues it.
            recovery::resume(sandboxes).await
        }
        NodeFact::Inventory {
            node, inventory, ..
        } => compare(sandboxes, Some(node), &inventory).await,
        NodeFact::SandboxGone {
            node,
            sandbox,
            cause,
            ..
        } => recovery::gone(sandboxes, Some(node), sandbox, cause).await,
        NodeFact::Stored { node, snapshot } => {
            record::stored(sandboxes, Some(node), &snapshot).await
        }
        NodeFact::NotStored {
            node,
            sandbox,
            detail,
        } => record::not_stored(sandboxes, Some(node), sandbox, detail).await,
        NodeFact::Forgotten { node, owner } => {
            purges::confirmed(sandboxes, Some(node), owner).await
        }
        NodeFact::Disconnected { .. } => Ok(()),
        NodeFact::Deleted {
            node,
            workspace,
            destroyed,
        } => {
            let scope = WorkspaceScope::of_row(workspace);
            recovery::machine_deleted(sandboxes, scope, node, &destroyed).await
        }
    }
}

async fn of_this_host(sandboxes: &SandboxesHandle, fact: LocalFact) -> Result<(), SandboxError> {
    match fact {
        LocalFact::Connected(inventory) => {
            compare(sandboxes, None, &inventory).await?;
            recovery::reconcile(sandboxes, None).await?;
            purges::send(sandboxes, None).await
        }
        LocalFact::Inventory(inventory) => compare(sandboxes, None, &inventory).await,
        LocalFact::SandboxGone { sandbox, cause } => {
            recovery::gone(sandboxes, None, sandbox, cause).await
        }
        LocalFact::Stored(snapshot) => record::stored(sandboxes, None, &snapshot).await,
        LocalFact::NotStored { sandbox, detail } => {
            record::not_stored(sandboxes, None, sandbox, detail).await
        }
        LocalFact::Forgotten(owner) => purges::confirmed(sandboxes, None, owner).await,
    }
}

/// An engine that does not answer has no inventory of sandboxes, so nothing follows from its silence (P8). Snapshots are on
/// the machine's disk, and need no engine.
async fn compare(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    inventory: &Inventory,
) -> Result<(), SandboxError> {
    record::inventory(sandboxes, node, &inventory.stored).await?;
    if inventory.engine_silent {
        return Ok(());
    }
    recovery::inventory(sandboxes, node, &inventory.sandboxes).await
}
