//! Restores a snapshot into a new sandbox.
use std::io;
use std::sync::Arc;

use roost_protocol::sandbox::SandboxFacts;
use roost_snapshot::packs::PackError;
use roost_snapshot::{Address, chunk};
use tokio::runtime::Handle;
use tokio_util::io::SyncIoBridge;

use super::contents::Contents;
use super::remote::RemoteSnapshot;
use super::seen::Seen;
use super::store::SnapshotStore;
use super::transfer::{TransferError, bring, fetch};
use super::{address, records, take, tar_stream, tenant};
use crate::error::DriverError;
use crate::exec::{Command, Ran, Sink};
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
    let of = RemoteSnapshot {
        workspace: facts.workspace,
        digest: address(digest)?,
    };
    let Some(contents) = contents(store, of).await? else {
        return Ok(false);
    };
    let contents = Arc::new(contents);
    let room = facts.limits.workspace_bytes;
    if !write_records(link, store, of, &contents, room).await? {
        // A tar stream is not mended on the way, so everything is checked before.
        if let Some(remote) = store.remote()
            && !store.is_sound(of).await
            && !fetch(store, remote, of).await.map_err(unfetched)?
        {
            return Ok(false);
        }
        write_tar(link, of, &contents, room).await?;
    }
    if let Some(listing) = take::list(link, facts.limits.workspace_bytes, None).await? {
        let seen = Seen::restored(&contents.entries, &listing.entries);
        *store.seen(facts.sandbox).lock().await = seen;
    }
    // Only now: if this process dies before this line, the next provision makes the sandbox again.
    let ran = link
        .run(Command::of(GUEST, &["mark-restored", digest]))
        .await?;
    crate::archive::succeeded("mark-restored", &ran)?;
    Ok(true)
}

/// The content of a snapshot whose chunks are all on this machine. Each is checked when it is written into the sandbox.
async fn contents(
    store: &SnapshotStore,
    of: RemoteSnapshot,
) -> Result<Option<Contents>, DriverError> {
    let opened = open(store, of).await;
    if matches!(&opened, Ok((_, 0))) {
        return opened.map(|(contents, _)| Some(contents));
    }
    let Some(remote) = store.remote() else {
        return match opened {
            _ if !store.packs().has(&of.digest) => Ok(None),
            Ok((_, missing)) => Err(lacks(of, missing)),
            Err(error) => Err(error),
        };
    };
    // The check discards what is damaged, so that it is fetched like what is missing.
    if !store.is_sound(of).await && !fetch(store, remote, of).await.map_err(unfetched)? {
        return Ok(None);
    }
    match open(store, of).await? {
        (contents, 0) => Ok(Some(contents)),
        (_, missing) => Err(lacks(of, missing)),
    }
}

/// The content of a snapshot, and how many of its chunks are not on this machine.
async fn open(store: &SnapshotStore, of: RemoteSnapshot) -> Result<(Contents, usize), DriverError> {
    let (packs, tenant) = (store.packs().clone(), tenant(of.workspace));
    let opened = tokio::task::spawn_blocking(move || {
        let contents = Contents::open(&packs, &tenant, of.digest)?;
        let missing = contents.missing().len();
        Ok((contents, missing))
    });
    opened.await.map_err(aborted)?
}

fn aborted(error: tokio::task::JoinError) -> DriverError {
    DriverError::Archive(format!("restoring a snapshot failed: {error}"))
}

fn lacks(of: RemoteSnapshot, missing: usize) -> DriverError {
    DriverError::Archive(format!(
        "the snapshot {} lacks {missing} chunks on this machine; use an older one",
        of.digest
    ))
}

/// Writes the snapshot as records. `false` when the guest is of a version that does not know them; then nothing was written.
async fn write_records(
    link: &GuestLink,
    store: &SnapshotStore,
    of: RemoteSnapshot,
    contents: &Arc<Contents>,
    room: u64,
) -> Result<bool, DriverError> {
    let (into, from) = tokio::io::duplex(PIPE);
    let checked = Checked {
        store: store.clone(),
        of,
        runtime: Handle::current(),
    };
    let contents = Arc::clone(contents);
    let writing = tokio::task::spawn_blocking(move || {
        let out = SyncIoBridge::new(into);
        records::write(&contents.entries, out, |chunk| {
            checked.stored(&contents, chunk)
        })
    });
    let ran = run(link, "snapshot-in", from).await;
    let written = writing.await.map_err(aborted)?;
    let ran = ran?;
    if take::is_unknown(&ran) {
        return Ok(false);
    }
    ended("snapshot-in", of, &ran, written, room)?;
    Ok(true)
}

/// Writes the snapshot as a tar stream, for guests of older versions.
async fn write_tar(
    link: &GuestLink,
    of: RemoteSnapshot,
    contents: &Arc<Contents>,
    room: u64,
) -> Result<(), DriverError> {
    let (into, from) = tokio::io::duplex(PIPE);
    let contents = Arc::clone(contents);
    let writing =
        tokio::task::spawn_blocking(move || tar_stream::write(&contents, SyncIoBridge::new(into)));
    let ran = run(link, "archive-in", from).await;
    let written = writing.await.map_err(aborted)?;
    ended("archive-in", of, &ran?, written, room)
}

async fn run(
    link: &GuestLink,
    tool: &'static str,
    from: tokio::io::DuplexStream,
) -> Result<Ran, DriverError> {
    let mut command = Command::of(GUEST, &[tool]);
    command.deadline_ms = DEADLINE_MS;
    link.run_with(command, from, true, Sink::Nowhere).await
}

/// Whether both ends of the stream came to its end.
fn ended(
    tool: &'static str,
    of: RemoteSnapshot,
    ran: &Ran,
    written: io::Result<()>,
    room: u64,
) -> Result<(), DriverError> {
    let digest = of.digest;
    let written = match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return Err(match error.downcast::<TransferError>() {
                Ok(error) => unfetched(error),
                Err(error) => DriverError::Archive(format!(
                    "the snapshot {digest} cannot be restored: {error}; use an older one"
                )),
            });
        }
        written => written,
    };
    if is_full(ran) {
        return Err(DriverError::OutOfRange {
            what: "the size of the workspace",
            got: room,
            allowed: "larger: the saved files do not fit into it; choose a larger workspace, or restore an older snapshot"
                .to_owned(),
        });
    }
    // Before the pipe: the guest says why it stopped reading.
    crate::archive::succeeded(tool, ran)?;
    written.map_err(|error| {
        DriverError::Archive(format!(
            "the snapshot {digest} was not read to its end: {error}"
        ))
    })
}

/// Whether the guest found no room for a file. It ends its line with the number of the error.
fn is_full(ran: &Ran) -> bool {
    let said = String::from_utf8_lossy(&ran.errors);
    ran.code != 0
        && said
            .trim_end()
            .ends_with("No space left on device (os error 28)")
}

/// Reads chunks and checks each. A damaged one is fetched again.
struct Checked {
    store: SnapshotStore,
    of: RemoteSnapshot,
    runtime: Handle,
}

impl Checked {
    fn stored(&self, contents: &Contents, chunk: Address) -> io::Result<Vec<u8>> {
        let damaged = match self.read(contents, chunk) {
            Ok(stored) => return Ok(stored),
            Err(error) => error,
        };
        let Some(remote) = self.store.remote() else {
            return Err(io::Error::other(damaged));
        };
        tracing::warn!(%chunk, error = %damaged, "a chunk is fetched again");
        self.store.packs().discard(&chunk);
        let brought = self
            .runtime
            .block_on(bring(&self.store, remote, self.of, vec![chunk]));
        brought.map_err(io::Error::other)?;
        self.read(contents, chunk).map_err(io::Error::other)
    }

    fn read(&self, contents: &Contents, chunk: Address) -> Result<Vec<u8>, PackError> {
        let stored = self.store.packs().stored(&chunk)?;
        let stored = stored.ok_or(PackError::Missing(chunk))?;
        chunk::decode(&contents.tenant, chunk, &stored)?;
        Ok(stored)
    }
}

fn unfetched(error: TransferError) -> DriverError {
    match error {
        TransferError::Local(error) => error,
        TransferError::Remote(error) => DriverError::Unfetched(error.to_string()),
    }
}
