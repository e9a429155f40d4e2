//! The snapshots of a machine on disk.
//!
//! ```text
//!  snapshots/packs/<n>.pack            chunks, trees and roots
//!  snapshots/agents/<agent>.json       an agent's snapshots, oldest first
//! ```
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use roost_protocol::control::Kept;
use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};
use roost_protocol::snapshot::Stored;
use roost_snapshot::Address;
use roost_snapshot::build::{BuildError, Store};
use roost_snapshot::packs::{PackError, Packs, Writer};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::contents::{self, Contents};
use super::remote::{Remote, RemoteSnapshot};
use super::seen::Seen;
use super::shelf::Shelf;
use super::{address, tenant};
use crate::archive::ArchiveStore;
use crate::chaos::KillPoint;
use crate::driver::lock;
use crate::error::DriverError;
use crate::private;

/// A folder of snapshots and its limit in bytes. Cheap to clone.
#[derive(Clone)]
pub struct SnapshotStore {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    packs: Packs,
    shelf: Mutex<Shelf>,
    /// What was seen of each sandbox. The lock of a sandbox is held while its snapshot is taken.
    seen: Mutex<HashMap<SandboxId, Arc<tokio::sync::Mutex<Seen>>>>,
    /// Read while snapshots are taken or restored; written while chunks are removed.
    sweep: RwLock<()>,
    /// Whether chunks without a snapshot may be here: an agent's oldest snapshot was dropped since the last sweep. A store
    /// that was just opened cannot know, so it begins with `true`.
    dropped: AtomicBool,
    /// Archives of older versions count against the same limit.
    archives: ArchiveStore,
    most: u64,
    /// The gateway's store, if this machine reaches one.
    remote: Option<Arc<dyn Remote>>,
}

impl std::fmt::Debug for SnapshotStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SnapshotStore")
            .field("folder", &self.inner.folder)
            .finish_non_exhaustive()
    }
}

impl SnapshotStore {
    /// Opens a folder; makes it for this user only if it is missing. Only one program may open a folder at a time.
    /// Snapshots and `archives` together take at most `most` bytes. What is not here is fetched from `remote`.
    ///
    /// # Errors
    /// [`DriverError::File`], [`DriverError::Archive`].
    pub async fn open(
        folder: impl Into<PathBuf>,
        archives: ArchiveStore,
        most: u64,
        remote: Option<Arc<dyn Remote>>,
    ) -> Result<Self, DriverError> {
        let folder = folder.into();
        let opened = {
            let folder = folder.clone();
            tokio::task::spawn_blocking(move || read(&folder)).await
        };
        let (packs, shelf) = opened.map_err(|error| DriverError::Archive(error.to_string()))??;
        Ok(Self {
            inner: Arc::new(Inner {
                folder,
                packs,
                shelf: Mutex::new(shelf),
                seen: Mutex::default(),
                sweep: RwLock::new(()),
                dropped: AtomicBool::new(true),
                archives,
                most,
                remote,
            }),
        })
    }

    pub(super) fn packs(&self) -> &Packs {
        &self.inner.packs
    }

    pub(crate) fn remote(&self) -> Option<&dyn Remote> {
        self.inner.remote.as_deref()
    }

    /// No chunk is removed while this guard lives.
    pub(super) async fn in_use(&self) -> RwLockReadGuard<'_, ()> {
        self.inner.sweep.read().await
    }

    pub(super) fn seen(&self, sandbox: SandboxId) -> Arc<tokio::sync::Mutex<Seen>> {
        Arc::clone(lock(&self.inner.seen).entry(sandbox).or_default())
    }

    /// Forgets what was seen of a sandbox that has ended.
    pub(crate) fn sandbox_gone(&self, sandbox: SandboxId) {
        lock(&self.inner.seen).remove(&sandbox);
    }

    /// The latest snapshot of an agent on this machine.
    pub(crate) fn latest(&self, agent: AgentId) -> Option<Stored> {
        lock(&self.inner.shelf).latest(agent).cloned()
    }

    /// The latest snapshot of each agent, newest first.
    pub(crate) fn all_latest(&self) -> Vec<Stored> {
        lock(&self.inner.shelf).all_latest()
    }

    /// Whether a digest names a snapshot on this machine.
    pub(crate) fn has(&self, digest: &str) -> bool {
        digest
            .parse()
            .is_ok_and(|address: Address| self.inner.packs.has(&address))
    }

    /// Whether every chunk of a snapshot is here and undamaged. A damaged chunk does not count as here any more.
    pub(super) async fn is_sound(&self, of: RemoteSnapshot) -> bool {
        let packs = self.inner.packs.clone();
        let checked = tokio::task::spawn_blocking(move || {
            contents::check(&packs, &tenant(of.workspace), of.digest)
        });
        checked.await.unwrap_or(false)
    }

    /// The chunks that are not here, or damaged. A damaged one does not count as here any more.
    pub(super) async fn lacking(&self, of: WorkspaceId, chunks: Vec<Address>) -> Vec<Address> {
        let (packs, tenant, all) = (self.inner.packs.clone(), tenant(of), chunks.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let mut lacking = chunks;
            lacking.retain(|chunk| packs.content(&tenant, *chunk).is_err());
            lacking.iter().for_each(|chunk| packs.discard(chunk));
            lacking
        });
        looked.await.unwrap_or(all)
    }

    fn taken(&self) -> u64 {
        self.inner
            .packs
            .bytes()
            .saturating_add(self.inner.archives.bytes())
    }

    /// Begins a pack, which cannot grow over the limit of the store.
    pub(super) async fn begin(&self) -> Result<Limited, DriverError> {
        let writer = self.inner.packs.begin();
        let writer = writer.map_err(pack_error)?;
        Ok(Limited {
            writer,
            taken: self.taken(),
            most: self.inner.most,
        })
    }

    /// Records a snapshot whose pack is on the disk as the latest of its agent. Returns it with its time.
    pub(super) async fn record(&self, stored: Stored) -> Result<Stored, DriverError> {
        KillPoint::SnapshotPacked.pass();
        let agent = stored.agent;
        let added = lock(&self.inner.shelf).add(stored, now_s());
        if let Err(error) = self.write(agent, added.list.clone()).await {
            lock(&self.inner.shelf).not_written(added);
            // Its pack is there without a snapshot.
            self.inner.dropped.store(true, Ordering::Release);
            return Err(error);
        }
        if added.dropped {
            self.inner.dropped.store(true, Ordering::Release);
        }
        Ok(added.stored)
    }

    async fn write(&self, agent: AgentId, list: Vec<Stored>) -> Result<(), DriverError> {
        let path = agent_file(&self.inner.folder, agent);
        let written = {
            let path = path.clone();
            tokio::task::spawn_blocking(move || {
                let text = serde_json::to_vec(&list).map_err(io::Error::other)?;
                private::write(&path, &text)
            })
        };
        written
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(|source| DriverError::file("cannot write", &path, source))
    }

    /// Removes the snapshots of a purged agent, and their chunks that no other agent needs. A repetition continues what
    /// failed or was cut off before.
    ///
    /// # Errors
    /// [`DriverError`]; something may be left.
    pub(crate) async fn forget(&self, agent: AgentId) -> Result<(), DriverError> {
        if lock(&self.inner.shelf).forget(agent) {
            self.inner.dropped.store(true, Ordering::Release);
            tracing::info!(%agent, "the snapshots of a purged agent are removed");
        }
        let path = agent_file(&self.inner.folder, agent);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(DriverError::file("cannot remove", &path, source));
            }
            _ => {}
        }
        let alone = self.inner.sweep.write().await;
        // Read under the lock: a sweep that began after the removal has then ended, well or not.
        if self.inner.dropped.load(Ordering::Acquire) {
            return self.sweep_with(alone).await;
        }
        Ok(())
    }

    /// Applies the gateway's list of snapshots to keep.
    pub(crate) async fn keep(&self, kept: &Kept, monotonic: Duration) {
        let gone = lock(&self.inner.shelf).keep(kept, monotonic);
        if !gone.is_empty() {
            self.removed(&gone, "its agent has not been known for a day")
                .await;
        }
    }

    async fn removed(&self, agents: &[AgentId], why: &str) {
        for agent in agents {
            let path = agent_file(&self.inner.folder, *agent);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(%error, path = %path.display(), "cannot remove the list of an agent's snapshots");
                }
                _ => tracing::info!(%agent, why, "the snapshots of an agent were removed"),
            }
        }
        if let Err(error) = self.sweep().await {
            tracing::warn!(%error, "cannot remove chunks that no snapshot needs");
        }
    }

    /// Drops old snapshots when three quarters of the room are taken, and removes the chunks that no snapshot needs.
    ///
    /// # Errors
    /// [`DriverError`]; every needed chunk is still there.
    pub(crate) async fn make_room(&self) -> Result<(), DriverError> {
        if self.taken() < self.inner.most / 4 * 3 {
            return Ok(());
        }
        let changed = lock(&self.inner.shelf).make_room(now_s());
        if changed.is_empty() && !self.inner.dropped.load(Ordering::Acquire) {
            return Ok(());
        }
        for (agent, list) in changed {
            self.write(agent, list).await?;
        }
        self.sweep().await
    }

    /// Removes the chunks that no snapshot needs.
    ///
    /// # Errors
    /// [`DriverError`]. A snapshot that cannot be read keeps all chunks: it may be mended.
    pub(crate) async fn sweep(&self) -> Result<(), DriverError> {
        let alone = self.inner.sweep.write().await;
        self.sweep_with(alone).await
    }

    async fn sweep_with(&self, _alone: RwLockWriteGuard<'_, ()>) -> Result<(), DriverError> {
        // Before the list is read: a snapshot that is dropped after it is swept the next time.
        self.inner.dropped.store(false, Ordering::Release);
        let swept = self.sweep_alone().await;
        if swept.is_err() {
            self.inner.dropped.store(true, Ordering::Release);
        }
        swept
    }

    async fn sweep_alone(&self) -> Result<(), DriverError> {
        let digests = lock(&self.inner.shelf).digests();
        let (packs, most) = (self.inner.packs.clone(), digests.len());
        let swept = tokio::task::spawn_blocking(move || {
            let mut needed = HashSet::new();
            for (workspace, digest) in digests {
                let root = address(&digest)?;
                needed.insert(root);
                let contents = Contents::open(&packs, &tenant(workspace), root)?;
                needed.extend(contents.root.tree.iter().copied());
                needed.extend(contents.chunks());
            }
            packs.keep(&needed).map_err(pack_error)
        });
        let freed = swept
            .await
            .map_err(|error| DriverError::Archive(error.to_string()))??;
        tracing::info!(
            freed,
            snapshots = most,
            "chunks that no snapshot needs were removed"
        );
        Ok(())
    }

    pub(super) fn build_error(&self, error: BuildError) -> DriverError {
        match error {
            BuildError::Io(error) => self.io_error(error),
            other => DriverError::Archive(other.to_string()),
        }
    }

    pub(super) fn io_error(&self, error: io::Error) -> DriverError {
        if error
            .get_ref()
            .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Full>)
        {
            return DriverError::ArchivesFull {
                taken: self.taken(),
                most: self.inner.most,
            };
        }
        DriverError::file("cannot store a snapshot in", &self.inner.folder, error)
    }
}

fn pack_error(error: PackError) -> DriverError {
    match error {
        PackError::Io { path, source } => DriverError::file("cannot store", &path, source),
        other => DriverError::Archive(other.to_string()),
    }
}

/// The limit of stored workspaces is reached.
#[derive(Debug, thiserror::Error)]
#[error("the limit of stored workspaces is reached")]
struct Full;

/// A pack that refuses to grow over the limit of the store.
pub struct Limited {
    writer: Writer,
    taken: u64,
    most: u64,
}

impl Limited {
    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map_err(|error| match error {
            PackError::Io { source, .. } => source,
            other => io::Error::other(other),
        })
    }
}

impl Store for Limited {
    fn has(&self, address: &Address) -> bool {
        self.writer.has(address)
    }

    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        let after = self
            .taken
            .saturating_add(self.writer.bytes())
            .saturating_add(stored.len() as u64);
        if after > self.most {
            return Err(io::Error::other(Full));
        }
        self.writer.put(address, stored)
    }
}

fn read(folder: &Path) -> Result<(Packs, Shelf), DriverError> {
    let (packs, agents) = (folder.join("packs"), folder.join("agents"));
    for made in [&packs, &agents] {
        private::make_folder(made)
            .map_err(|source| DriverError::file("cannot make", made, source))?;
    }
    let failed = |source| DriverError::file("cannot read", &agents, source);
    let mut shelf = Shelf::default();
    for entry in std::fs::read_dir(&agents).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let agent = stem.and_then(|stem| stem.parse().ok());
        let (Some(agent), true) = (
            agent,
            path.extension().is_some_and(|ending| ending == "json"),
        ) else {
            continue;
        };
        let text = std::fs::read(&path)
            .map_err(|source| DriverError::file("cannot read", &path, source))?;
        match serde_json::from_slice(&text) {
            Ok(stored) => shelf.found(agent, stored),
            Err(error) => {
                tracing::error!(%error, path = %path.display(), "the list of an agent's snapshots is damaged; it is not used");
            }
        }
    }
    let packs = Packs::open(&packs).map_err(|error| DriverError::Archive(error.to_string()))?;
    Ok((packs, shelf))
}

fn agent_file(folder: &Path, agent: AgentId) -> PathBuf {
    folder.join("agents").join(format!("{agent}.json"))
}

fn now_s() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
}

#[cfg(test)]
mod tests;
