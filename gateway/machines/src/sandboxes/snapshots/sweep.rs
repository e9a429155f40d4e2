//! Removes chunks that no snapshot needs: marks what the rows of a workspace name, and removes the rest.
//!
//! A chunk stays for an hour after its upload, so the chunks of an upload under way stay. A snapshot can become uploaded
//! while a sweep removes a chunk that it shares. So the gateway checks twice: an upload checks its chunks again after its
//! row says uploaded, and the sweep checks the snapshots that became uploaded after it has removed chunks. One of the two
//! checks comes last.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use roost_snapshot::Address;

use super::chunks::ChunkStore;
use super::named::{Named, NamedError};
use super::store;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::db::lease::Lease;
use roost_platform::ids::WorkspaceId;
use roost_platform::supervision::{ActorKind, AnyChild, ChildSpec, Failure, Nudge};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces;

/// The time between two sweeps.
const EVERY: Duration = Duration::from_secs(1_800);
/// How long a chunk stays after its upload.
const YOUNG: TimeDelta = TimeDelta::hours(1);
/// How long a gateway has a workspace for itself. A sweep that takes longer is repeated by another gateway, which removes
/// the same chunks.
const LEASE_TTL: Duration = Duration::from_secs(600);
const LEASE: &str = "chunk-sweep";

/// What the sweeper needs.
#[derive(Clone)]
pub struct Sweeper {
    pub db: Db,
    pub clock: SharedClock,
    pub chunks: ChunkStore,
    /// The name of this gateway in the lease.
    pub owner: String,
}

/// The time between two checks of a bucket.
const CHECKED_EVERY: Duration = Duration::from_secs(10);

/// The child of `sandboxes` that finds out whether a bucket can be used; it has no state.
pub fn watcher(chunks: ChunkStore) -> AnyChild {
    ChildSpec::periodic(
        "chunk-store",
        ActorKind::Worker,
        CHECKED_EVERY,
        &Nudge::default(),
        move |_| {
            let chunks = chunks.clone();
            async move {
                chunks.watch().await;
                Ok(())
            }
        },
    )
    .serves("whether the store of chunks can be used")
    .into()
}

/// The child of `sandboxes` that sweeps; it has no state.
pub fn sweeper(sweeper: Sweeper) -> AnyChild {
    ChildSpec::periodic(
        "chunk-sweeper",
        ActorKind::RetentionSweeper,
        EVERY,
        &Nudge::default(),
        move |_| {
            let sweeper = sweeper.clone();
            async move { sweeper.sweep().await }
        },
    )
    .serves("chunks that no snapshot needs")
    .into()
}

impl Sweeper {
    /// Sweeps each workspace that has chunks, unless another gateway has the lease. A bucket that cannot be used is not
    /// swept this time.
    ///
    /// # Errors
    /// When the database or the store fails.
    pub async fn sweep(&self) -> Result<(), Failure> {
        if let Err(error) = self.chunks.check().await {
            tracing::warn!(%error, "chunks that no snapshot needs stay until the next sweep");
            return Ok(());
        }
        for workspace in self.chunks.workspaces().await? {
            let lease = Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await?;
            let Some(lease) = lease else {
                return Ok(());
            };
            let removed = self.workspace(workspace).await?;
            if removed > 0 {
                tracing::info!(%workspace, removed, "removed chunks that no snapshot needs");
            }
            lease.release(&self.db).await?;
        }
        Ok(())
    }

    /// Sweeps a workspace and returns the number of chunks that it removed.
    async fn workspace(&self, workspace: WorkspaceId) -> Result<usize, Failure> {
        // The id is a folder's name: a folder of a workspace that was deleted has no row, and all of it goes.
        let scope = WorkspaceScope::of_row(workspace);
        let exists = workspaces::find(self.db.read(), scope).await?.is_some();
        let listed = self.chunks.list(workspace).await?;
        let Some(marked) = self.mark(scope).await? else {
            return Ok(0);
        };
        let before = self.clock.now() - YOUNG;
        let old = |at: DateTime<Utc>| !exists || at < before;
        let unneeded = listed
            .into_iter()
            .filter(|(address, at)| old(*at) && !marked.chunks.contains(address))
            .map(|(address, _)| address)
            .collect::<Vec<_>>();
        let removed = unneeded.len();
        if removed > 0 {
            self.chunks.delete(workspace, unneeded).await?;
            self.check_again(scope, &marked).await?;
        }
        Ok(removed)
    }

    /// What the rows of a workspace name. `None`: the store lost a part of a snapshot, so this sweep removes nothing. The
    /// snapshot does not count as uploaded any more, and the next sweep goes on.
    async fn mark(&self, scope: WorkspaceScope) -> Result<Option<Marked>, Failure> {
        let mut marked = Marked::default();
        let mut whole = true;
        // Each set is used once, so the sets in memory for machines stay.
        let named = Named::new(self.chunks.clone());
        for (digest, uploaded) in digests(self.db.read(), scope).await? {
            match named.of(scope.workspace(), digest).await {
                Ok(set) => marked.chunks.extend(set.iter()),
                Err(NamedError::Store(error)) => return Err(error.into()),
                // An upload under way: its chunks are young, or are uploaded again.
                Err(_) if !uploaded => continue,
                Err(error) => {
                    tracing::error!(%digest, %error, "the gateway's store does not have all of a snapshot");
                    self.not_uploaded(scope, digest).await?;
                    whole = false;
                }
            }
            if uploaded {
                marked.uploaded.insert(digest);
            }
        }
        Ok(whole.then_some(marked))
    }

    /// Snapshots that became uploaded since the mark: one of them may share a chunk that is gone now.
    async fn check_again(&self, scope: WorkspaceScope, marked: &Marked) -> Result<(), Failure> {
        let named = Named::new(self.chunks.clone());
        for (digest, uploaded) in digests(self.db.read(), scope).await? {
            if !uploaded || marked.uploaded.contains(&digest) {
                continue;
            }
            let missing = match named.of(scope.workspace(), digest).await {
                Ok(set) => {
                    let all = set.iter().copied();
                    !self
                        .chunks
                        .missing(scope.workspace(), all)
                        .await?
                        .is_empty()
                }
                Err(NamedError::Store(error)) => return Err(error.into()),
                Err(_) => true,
            };
            if missing {
                self.not_uploaded(scope, digest).await?;
            }
        }
        Ok(())
    }

    async fn not_uploaded(&self, scope: WorkspaceScope, digest: Address) -> Result<(), Failure> {
        let tx = self.db.write().await?;
        store::set_uploaded(&*tx, scope, &digest.to_string(), None).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// What a sweep keeps.
#[derive(Debug, Default)]
struct Marked {
    chunks: HashSet<Address>,
    /// The snapshots that were uploaded then.
    uploaded: HashSet<Address>,
}

/// The digests of a workspace, and whether the store has all of each.
async fn digests(
    db: &impl sea_orm::ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<HashMap<Address, bool>, Failure> {
    let mut digests = HashMap::new();
    for (digest, uploaded_at) in store::digests(db, scope).await? {
        // Only addresses are recorded.
        if let Ok(digest) = digest.parse() {
            *digests.entry(digest).or_insert(false) |= uploaded_at.is_some();
        }
    }
    Ok(digests)
}
