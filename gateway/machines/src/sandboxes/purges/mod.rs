//! The wishes that machines delete the files of removed owners.
//!
//! A machine may be away when an owner is removed. So the wish is a row, written in the transaction that deletes the rows
//! of the owner. It is sent whenever the machine connects and with each sweep, and is deleted when the machine confirms
//! that nothing is left, or when the machine is removed from the fleet. A machine repeats the work without harm. A `roostd`
//! of an older version deletes the files and confirms nothing: its wishes stay until it is updated. Table:
//! `machine_purges`.

pub(crate) mod entity;
pub(super) mod store;
#[cfg(test)]
mod tests;

use super::engine::{name_of, node_of};
use super::{SandboxError, SandboxesHandle};
use crate::fleet;
use crate::fleet::operations::Target;
use roost_platform::ids::{NodeId, SandboxOwnerId};

/// Sends a machine its wishes, if this gateway has its connection.
///
/// # Errors
/// When the database fails.
pub(super) async fn send(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
) -> Result<(), SandboxError> {
    let machine = name_of(node);
    let wishes = store::of_machine(sandboxes.db.read(), &machine).await?;
    let owners: Vec<SandboxOwnerId> = wishes.iter().map(|wish| wish.owner_id).collect();
    let target = node.map_or(Target::Local, Target::Node);
    for wish in wishes {
        let (archives, results) = (wish.archives(), wish.owner_kind.is_purged());
        // An engine whose actor is restarting gets it at its next connection or sweep.
        let _ = sandboxes
            .operations
            .forget(target, wish.owner_id, archives, results);
    }
    if owners.len() as u64 >= store::AT_ONCE {
        // More than one round holds: the next one begins with the others.
        let tx = sandboxes.db.write().await?;
        store::told(&tx, &machine, &owners, sandboxes.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Sends all wishes to the machines of this gateway.
///
/// # Errors
/// When the database fails.
pub(super) async fn send_all(sandboxes: &SandboxesHandle) -> Result<(), SandboxError> {
    for machine in store::machines(sandboxes.db.read()).await? {
        let node = node_of(&machine);
        match node {
            // The agent was removed while its machine left the fleet.
            Some(id) if is_gone(sandboxes, id).await? => machine_gone(sandboxes, id).await?,
            _ => send(sandboxes, node).await?,
        }
    }
    Ok(())
}

async fn is_gone(sandboxes: &SandboxesHandle, node: NodeId) -> Result<bool, SandboxError> {
    let row = fleet::by_id(sandboxes.db.read(), node).await?;
    Ok(row.is_none_or(|row| row.deleted_at.is_some()))
}

/// The machine has confirmed that nothing of the owner is left on it. A machine can only confirm its own wishes.
///
/// # Errors
/// When the database fails.
pub(super) async fn confirmed(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    owner: SandboxOwnerId,
) -> Result<(), SandboxError> {
    let tx = sandboxes.db.write().await?;
    store::done(&tx, &name_of(node), owner).await?;
    tx.commit().await?;
    Ok(())
}

/// The machine was removed from the fleet: it has deleted everything, or nobody can reach it any more.
///
/// # Errors
/// When the database fails.
pub(super) async fn machine_gone(
    sandboxes: &SandboxesHandle,
    node: NodeId,
) -> Result<(), SandboxError> {
    let tx = sandboxes.db.write().await?;
    store::remove_of_machine(&tx, &name_of(Some(node))).await?;
    tx.commit().await?;
    Ok(())
}
