//! Restores a snapshot into a new sandbox.
use roost_protocol::sandbox::SandboxFacts;
use tokio_util::io::SyncIoBridge;

use super::contents::Contents;
use super::remote::RemoteSnapshot;
use super::seen::Seen;
use super::store::SnapshotStore;
use super::transfer::{TransferError, fetch};
use super::{address, take, tar_stream, tenant};
use crate::error::DriverError;
use crate::exec::{Command, Sink};
use crate::link::GuestLink;
use crate::policy::GUEST;

/// How long unpacking may take, milliseconds.
const DEADLINE_MS: u64 = 30 * 60 * 1000;
/// Bytes between the reader of chunks and the guest.
const PIPE: usize = 512 * 1024;

/// Restores a snapshot whole, before any command runs. What is not on this machine comes from the gateway's store.
/// `false` when it is in neither place.
///
/// # Errors
/// [`DriverError`]; the sandbox must then be removed.
pub async fn restore(
    link: &GuestLink,
    store: &SnapshotStore,
    digest: &str,
    facts: &SandboxFacts,
) -> Result<bool, DriverError> {
    let _no_sweep = store.in_use().await;
    let root = address(digest)?;
    if let Some(remote) = store.remote() {
        let of = RemoteSnapshot {
            workspace: facts.workspace,
            digest: root,
        };
        if !store.is_sound(of).await && !fetch(store, remote, of).await.map_err(unfetched)? {
            return Ok(false);
        }
    } else if !store.packs().has(&root) {
        return Ok(false);
    }
    let (packs, tenant) = (store.packs().clone(), tenant(facts.workspace));
    let failed = |error: tokio::task::JoinError| {
        DriverError::Archive(format!("restoring a snapshot failed: {error}"))
    };
    let opened = tokio::task::spawn_blocking(move || Contents::open(&packs, &tenant, root));
    let contents = opened.await.map_err(failed)??;
    let missing = contents.missing().len();
    if missing > 0 {
        return Err(DriverError::Archive(format!(
            "the snapshot {digest} lacks {missing} chunks on this machine; use an older one"
        )));
    }
    let (into, from) = tokio::io::duplex(PIPE);
    let writing = tokio::task::spawn_blocking(move || {
        let written = tar_stream::write(&contents, SyncIoBridge::new(into));
        (contents, written)
    });
    let mut command = Command::of(GUEST, &["archive-in"]);
    command.deadline_ms = DEADLINE_MS;
    let ran = link.run_with(command, from, true, Sink::Nowhere).await;
    let (contents, written) = writing.await.map_err(failed)?;
    let ran = ran?;
    if let Err(error) = &written
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return Err(DriverError::Archive(format!(
            "the snapshot {digest} cannot be restored: {error}; use an older one"
        )));
    }
    // Before the pipe: the guest says why it stopped reading.
    crate::archive::succeeded("archive-in", &ran)?;
    if let Err(error) = written {
        return Err(DriverError::Archive(format!(
            "the snapshot {digest} was not read to its end: {error}"
        )));
    }
    let listing = take::list(link, facts.limits.workspace_bytes).await?;
    *store.seen(facts.sandbox).lock().await = Seen::restored(&contents.entries, &listing.entries);
    // Only now: if this process dies before this line, the next provision makes the sandbox again.
    let ran = link
        .run(Command::of(GUEST, &["mark-restored", digest]))
        .await?;
    crate::archive::succeeded("mark-restored", &ran)?;
    Ok(true)
}

fn unfetched(error: TransferError) -> DriverError {
    match error {
        TransferError::Local(error) => error,
        TransferError::Remote(error) => DriverError::Unfetched(error.to_string()),
    }
}
