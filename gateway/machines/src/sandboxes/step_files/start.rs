//! Gives the sandboxes of a run the files of an earlier step. The sandbox of before ends, which stores its files, and a new
//! one begins with the snapshot.

use super::entity::start;
use super::error::StartFilesError;
use super::model::{CommonStart, EACH, NO_SNAPSHOT, Start};
use super::record::FilesPlace;
use super::store;
use crate::sandboxes::commands::{Provisioned, destroy_for_good, provision};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::State;
use crate::sandboxes::snapshots::RestoredFrom;
use crate::sandboxes::{NewSandbox, OwnerKind, SandboxesHandle, store as registry};
use roost_platform::db::WriteTx;
use roost_platform::events::About;
use roost_platform::ids::{RunId, SandboxId, SandboxOwnerId, SnapshotId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use sea_orm::{ConnectionTrait, DbErr};

/// Whether the snapshot is still recorded.
///
/// # Errors
/// When the database fails.
pub async fn is_there(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    snapshot: SnapshotId,
) -> Result<bool, DbErr> {
    Ok(store::snapshot(db, scope, snapshot).await?.is_some())
}

/// Whether one of these owners has files: a sandbox that is not gone, or a snapshot.
///
/// # Errors
/// When the database fails.
pub async fn any_files(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owners: &[SandboxOwnerId],
) -> Result<bool, DbErr> {
    Ok(store::any_snapshot(db, scope, owners).await?
        || registry::any_current(db, scope, owners).await?)
}

/// The sandbox of the owner begins with these files in the run and in all runs that it starts. `sandbox` is a fresh id.
///
/// # Errors
/// When the database fails.
pub async fn give(
    tx: &WriteTx,
    scope: WorkspaceScope,
    root: RunId,
    start: &Start,
    sandbox: SandboxId,
) -> Result<(), DbErr> {
    let (Some(snapshot_id), Some(digest)) = (start.files.snapshot_id, &start.files.digest) else {
        return Ok(());
    };
    let row = start::Model {
        run_id: root,
        owner_id: start.owner.id(),
        owner_kind: start.owner.kind(),
        workspace_id: scope.workspace(),
        snapshot_id,
        snapshot_owner_id: start.owner.id(),
        digest: digest.clone(),
        step: start.step.clone(),
        sandbox_id: sandbox,
        restored_at: None,
    };
    store::insert_start(tx, row).await
}

/// As [`give`], for each owner of the tree: all of them begin with the same files.
///
/// # Errors
/// When the database fails.
pub async fn for_each_agent(
    tx: &WriteTx,
    scope: WorkspaceScope,
    root: RunId,
    start: &CommonStart,
    unused: SandboxId,
) -> Result<(), DbErr> {
    let row = start::Model {
        run_id: root,
        owner_id: EACH,
        owner_kind: OwnerKind::Claw,
        workspace_id: scope.workspace(),
        snapshot_id: NO_SNAPSHOT,
        snapshot_owner_id: EACH,
        digest: String::new(),
        step: String::new(),
        sandbox_id: unused,
        restored_at: None,
    };
    let row = match start {
        CommonStart::Empty => row,
        CommonStart::OfStep(start) => {
            let (Some(snapshot_id), Some(digest)) = (start.files.snapshot_id, &start.files.digest)
            else {
                return Ok(());
            };
            start::Model {
                snapshot_id,
                snapshot_owner_id: start.owner.id(),
                digest: digest.clone(),
                step: start.step.clone(),
                ..row
            }
        }
    };
    store::insert_start(tx, row).await
}

/// Gives the sandbox of the step the files that its run begins with, if there are any and it does not have them yet. A
/// repeat after a crash finds the sandbox that was made for them.
///
/// # Errors
/// [`StartFilesError`]. Nothing was ended when the snapshot is gone.
pub async fn begin_with(
    sandboxes: &SandboxesHandle,
    place: &FilesPlace,
    user: UserId,
    about: About,
    machine: Option<String>,
) -> Result<(), StartFilesError> {
    // Two steps of a run may share a sandbox: the second one finds that the first has replaced it.
    let _one_at_a_time = sandboxes.replacing.lock().await;
    let Some(row) = wanted(sandboxes, place).await? else {
        return Ok(());
    };
    let db = sandboxes.db.read();
    let gone = || StartFilesError::Gone {
        step: row.step.clone(),
    };
    let present = registry::current(db, place.scope, place.owner.id()).await?;
    let is_live = |row: &container::Model| {
        matches!(
            State::parse(&row.state),
            Some(State::Running | State::Provisioning | State::Destroying)
        )
    };
    let live = present.filter(is_live);
    let is_ours = live.as_ref().is_some_and(|live| live.id == row.sandbox_id);
    let snapshot = match row.is_empty() {
        true => None,
        false => {
            let found = store::snapshot(db, place.scope, row.snapshot_id).await?;
            Some(found.ok_or_else(gone)?)
        }
    };
    if live.is_some() && !is_ours {
        // Its end stores its files as a snapshot of the owner.
        destroy_for_good(sandboxes, place.scope, place.owner).await?;
    }
    // Only its own machine has files that are not in the gateway's store.
    let node_id = match &snapshot {
        Some(snapshot) if snapshot.uploaded_at.is_none() => Some(snapshot.node_id.clone()),
        _ => machine,
    };
    let wanted = NewSandbox {
        node_id,
        restore: snapshot.as_ref().map(|_| row.snapshot_id),
        restore_of: snapshot.as_ref().map(|_| row.snapshot_owner_id),
        without_files: row.is_empty(),
        ..NewSandbox::default()
    };
    let (scope, owner, id) = (place.scope, place.owner, row.sandbox_id);
    // A sandbox that was made before a crash has this id, and is returned.
    let made = provision(sandboxes, scope, user, owner, id, wanted, about).await?;
    let (Provisioned::Made(sandbox) | Provisioned::Present(sandbox)) = made;
    if !has(&sandbox, &row) {
        return Err(gone());
    }
    let tx = sandboxes.db.write().await?;
    store::restored(&tx, place.scope, &row, sandboxes.clock.now()).await?;
    Ok(tx.commit().await?)
}

/// Whether the sandbox began with these files.
fn has(sandbox: &container::Model, row: &start::Model) -> bool {
    if row.is_empty() {
        return sandbox.archive.is_none();
    }
    let restored = sandbox.restored.clone();
    let restored = restored.and_then(|json| serde_json::from_value::<RestoredFrom>(json).ok());
    restored.is_some_and(|restored| restored.digest == row.digest)
}

/// The row of the owner, if its sandbox does not have the files yet.
async fn wanted(
    sandboxes: &SandboxesHandle,
    place: &FilesPlace,
) -> Result<Option<start::Model>, DbErr> {
    let (scope, root, owner) = (place.scope, place.root, place.owner);
    let Some(row) = store::start(sandboxes.db.read(), scope, root, owner.id()).await? else {
        return Ok(None);
    };
    let row = match row.is_for_each() {
        false => row,
        true => {
            let own = start::Model {
                owner_id: owner.id(),
                owner_kind: owner.kind(),
                sandbox_id: SandboxId(sandboxes.ids.next()),
                ..row
            };
            let tx = sandboxes.db.write().await?;
            store::insert_start(&tx, own).await?;
            tx.commit().await?;
            // Another step there may have been faster.
            match store::start(sandboxes.db.read(), scope, root, owner.id()).await? {
                Some(row) => row,
                None => return Ok(None),
            }
        }
    };
    Ok(Some(row).filter(|row| row.restored_at.is_none()))
}
