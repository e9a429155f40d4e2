//! Records what machines report about snapshots. A machine can only report a snapshot of a sandbox that the registry has
//! on this machine, for the owner and the workspace of that sandbox. Every other report is refused and logged.

use roost_protocol::snapshot::Stored;
use roost_snapshot::Address;

use super::entity::Model;
use super::model::{is_news, taken_at};
use super::store;
use crate::sandboxes::engine::name_of;
use crate::sandboxes::entity::container;
use crate::sandboxes::{SandboxError, SandboxesHandle, store as registry};
use roost_platform::db::WriteTx;
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{NodeId, SandboxId, fresh};
use roost_tenancy::auth::WorkspaceScope;

/// Why a report is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Refused {
    #[error("the digest is not an address")]
    Digest,
    #[error("the machine has no sandbox with this id for this owner and workspace")]
    Foreign,
}

/// Records the latest snapshots of an inventory. A machine repeats them, so known ones cost no transaction.
///
/// # Errors
/// When the database fails.
pub async fn inventory(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    stored: &[Stored],
) -> Result<(), SandboxError> {
    if stored.is_empty() {
        return Ok(());
    }
    let machine = name_of(node);
    let digests: Vec<&str> = stored.iter().map(|said| said.digest.as_str()).collect();
    let known = store::known_on(sandboxes.db.read(), &machine, &digests).await?;
    let now = sandboxes.clock.now();
    for said in stored {
        let row = known
            .iter()
            .find(|row| row.digest == said.digest && row.owner_id.0 == said.agent.uuid());
        // The clock of the machine is ahead, so its time cannot say that the workspace returned to these files.
        let repeated = row.is_some() && said.taken_at_s > now.timestamp();
        if !repeated && is_news(row, taken_at(said.taken_at_s, now), &machine) {
            self::stored(sandboxes, node, said).await?;
        }
    }
    Ok(())
}

/// Records one snapshot.
///
/// # Errors
/// When the database fails.
pub async fn stored(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    said: &Stored,
) -> Result<(), SandboxError> {
    let machine = name_of(node);
    let refused = match said.digest.parse::<Address>() {
        Ok(_) => write(sandboxes, &machine, said).await?.err(),
        Err(_) => Some(Refused::Digest),
    };
    if let Some(why) = refused {
        metrics::counter!("roost_node_foreign_snapshots_total").increment(1);
        tracing::warn!(
            machine, sandbox = %said.sandbox, agent = %said.agent, %why,
            "a machine reported a snapshot that is not recorded"
        );
    }
    Ok(())
}

async fn write(
    sandboxes: &SandboxesHandle,
    machine: &str,
    said: &Stored,
) -> Result<Result<(), Refused>, SandboxError> {
    let id = SandboxId(said.sandbox.uuid());
    let is_of = |row: &container::Model| {
        row.owner_id.0 == said.agent.uuid() && row.workspace_id.0 == said.workspace.uuid()
    };
    let mut tx = sandboxes.db.write().await?;
    let row = registry::of_machine(&*tx, machine, id).await?;
    let Some(row) = row.filter(is_of) else {
        return Ok(Err(Refused::Foreign));
    };
    let scope = WorkspaceScope::of_row(row.workspace_id);
    // A removal deletes the rows of the owner; it waits for this transaction, or this one sees what it did.
    registry::lock(&tx, scope, row.owner_id).await?;
    if registry::of_machine(&*tx, machine, id).await?.is_none() {
        return Ok(Err(Refused::Foreign));
    }
    let now = sandboxes.clock.now();
    let taken_at = taken_at(said.taken_at_s, now);
    let known = store::with_digest(&*tx, scope, row.owner_id, &said.digest).await?;
    let news = is_news(known.as_ref(), taken_at, machine);
    if !news && row.snapshot_problem.is_none() {
        return Ok(Ok(()));
    }
    if news {
        let snapshot = Model {
            id: fresh(&sandboxes.ids),
            workspace_id: row.workspace_id,
            owner_kind: row.owner_kind,
            owner_id: row.owner_id,
            sandbox_id: row.id,
            node_id: machine.to_owned(),
            digest: said.digest.clone(),
            files: i64::try_from(said.files).unwrap_or(i64::MAX),
            bytes: i64::try_from(said.bytes).unwrap_or(i64::MAX),
            left_out: serde_json::json!(said.left_out),
            taken_at,
            received_at: now,
            uploaded_at: None,
        };
        store::write(&*tx, snapshot).await?;
    }
    registry::set_snapshot_problem(&*tx, scope, row.id, None).await?;
    announce(&mut tx, sandboxes, &row).await?;
    tx.commit().await?;
    Ok(Ok(()))
}

/// Keeps why a machine could not take a snapshot, for the page of the owner.
///
/// # Errors
/// When the database fails.
pub async fn not_stored(
    sandboxes: &SandboxesHandle,
    node: Option<NodeId>,
    id: SandboxId,
    detail: String,
) -> Result<(), SandboxError> {
    let machine = name_of(node);
    let mut tx = sandboxes.db.write().await?;
    let Some(row) = registry::of_machine(&*tx, &machine, id).await? else {
        tracing::warn!(machine, sandbox = %id, "a machine reported about a sandbox that it does not have");
        return Ok(());
    };
    if row.snapshot_problem.as_deref() == Some(detail.as_str()) {
        return Ok(());
    }
    let scope = WorkspaceScope::of_row(row.workspace_id);
    registry::set_snapshot_problem(&*tx, scope, row.id, Some(detail)).await?;
    announce(&mut tx, sandboxes, &row).await?;
    tx.commit().await?;
    Ok(())
}

/// The next snapshot replaces this news, so the log keeps it only for a short time.
async fn announce(
    tx: &mut WriteTx,
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<(), SandboxError> {
    let news = Event::reported(ResourceKind::Sandbox, row.id, row.version);
    let (workspace, now) = (row.workspace_id, sandboxes.clock.now());
    Ok(events::append(tx, workspace, now, [news]).await?)
}
