//! The chunks that a snapshot names: its root, its tree, and the content of its files. Reading them costs the whole tree, so
//! the sets of some snapshots stay in memory.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use roost_snapshot::{Address, Entry, Node, Root, tree};
use tokio::sync::Semaphore;

use super::chunks::{ChunkStore, ChunkStoreError};
use roost_platform::ids::WorkspaceId;

/// The most bytes of a tree. A quarter of a million entries with long names need less.
const MOST_TREE: usize = 128 * 1024 * 1024;
/// Trees that are read at the same time: each takes memory.
const TREES_AT_ONCE: usize = 2;
/// The most sets in memory, and the most addresses in all of them.
const MOST_SETS: usize = 64;
const MOST_ADDRESSES: usize = 1_000_000;

/// Why the chunks of a snapshot are not known.
#[derive(Debug, thiserror::Error)]
pub enum NamedError {
    /// The root, or chunks of the tree, are not in the store.
    #[error("{} chunks of the snapshot's tree are not in the store", .0.len())]
    Missing(Vec<Address>),
    /// The root or the tree does not have its form.
    #[error("the snapshot cannot be read: {0}")]
    Malformed(String),
    #[error(transparent)]
    Store(#[from] ChunkStoreError),
}

/// The addresses of a snapshot.
pub type Set = Arc<HashSet<Address>>;

/// Reads the sets. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Named {
    chunks: ChunkStore,
    recent: Arc<Mutex<Recent>>,
    slots: Arc<Semaphore>,
}

impl Named {
    pub fn new(chunks: ChunkStore) -> Self {
        Self {
            chunks,
            recent: Arc::default(),
            slots: Arc::new(Semaphore::new(TREES_AT_ONCE)),
        }
    }

    /// The chunks that a snapshot names, the root included. They need not be in the store.
    ///
    /// # Errors
    /// [`NamedError`].
    pub async fn of(&self, workspace: WorkspaceId, digest: Address) -> Result<Set, NamedError> {
        if let Some(set) = self.recent().get(workspace, digest) {
            return Ok(set);
        }
        let _slot = self.slots.acquire().await;
        let set = Arc::new(self.read(workspace, digest).await?);
        self.recent().put(workspace, digest, set.clone());
        Ok(set)
    }

    /// The files and folders of a snapshot, sorted: a folder before its content.
    ///
    /// # Errors
    /// [`NamedError`].
    pub async fn entries(
        &self,
        workspace: WorkspaceId,
        digest: Address,
    ) -> Result<Vec<Entry>, NamedError> {
        let _slot = self.slots.acquire().await;
        let (_, bytes) = self.tree(workspace, digest).await?;
        let decoded = tokio::task::spawn_blocking(move || tree::decode(&bytes)).await;
        let malformed = |error: &dyn std::fmt::Display| NamedError::Malformed(error.to_string());
        decoded
            .map_err(|error| malformed(&error))?
            .map_err(|error| malformed(&error))
    }

    async fn read(
        &self,
        workspace: WorkspaceId,
        digest: Address,
    ) -> Result<HashSet<Address>, NamedError> {
        let (root, bytes) = self.tree(workspace, digest).await?;
        let mut named: HashSet<Address> = root.tree.into_iter().collect();
        named.insert(digest);
        let content = tokio::task::spawn_blocking(move || content_of(&bytes)).await;
        let content = content.map_err(|error| NamedError::Malformed(error.to_string()))??;
        named.extend(content);
        Ok(named)
    }

    /// The root, and the bytes of the tree.
    async fn tree(
        &self,
        workspace: WorkspaceId,
        digest: Address,
    ) -> Result<(Root, Vec<u8>), NamedError> {
        let Some((_, root)) = self.chunks.read(workspace, digest).await? else {
            return Err(NamedError::Missing(vec![digest]));
        };
        let root = Root::decode(&root).map_err(|error| NamedError::Malformed(error.to_string()))?;
        let missing = self.chunks.missing(workspace, root.tree.iter().copied());
        let missing = missing.await?;
        if !missing.is_empty() {
            return Err(NamedError::Missing(missing));
        }
        let mut bytes = Vec::new();
        for address in &root.tree {
            let Some((_, content)) = self.chunks.read(workspace, *address).await? else {
                return Err(NamedError::Missing(vec![*address]));
            };
            if bytes.len() + content.len() > MOST_TREE {
                return Err(NamedError::Malformed(format!(
                    "its tree has more than {MOST_TREE} bytes"
                )));
            }
            bytes.extend(content);
        }
        Ok((root, bytes))
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        // Each method leaves the list consistent after any line.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The chunks with the content of files.
fn content_of(tree: &[u8]) -> Result<HashSet<Address>, NamedError> {
    let entries = tree::decode(tree).map_err(|error| NamedError::Malformed(error.to_string()))?;
    let mut named = HashSet::new();
    for entry in entries {
        if let Node::File { content, .. } = entry.node {
            named.extend(content.iter().map(|extent| extent.chunk));
        }
    }
    Ok(named)
}

/// The sets that were used last, the newest at the end.
#[derive(Debug, Default)]
struct Recent(VecDeque<(WorkspaceId, Address, Set)>);

impl Recent {
    fn get(&mut self, workspace: WorkspaceId, digest: Address) -> Option<Set> {
        let is_it = |kept: &(WorkspaceId, Address, Set)| (kept.0, kept.1) == (workspace, digest);
        let at = self.0.iter().position(is_it)?;
        let kept = self.0.remove(at)?;
        let set = kept.2.clone();
        self.0.push_back(kept);
        Some(set)
    }

    fn put(&mut self, workspace: WorkspaceId, digest: Address, set: Set) {
        self.0.push_back((workspace, digest, set));
        let too_many = |kept: &VecDeque<(WorkspaceId, Address, Set)>| {
            let addresses: usize = kept.iter().map(|(_, _, set)| set.len()).sum();
            kept.len() > MOST_SETS || addresses > MOST_ADDRESSES
        };
        while too_many(&self.0) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_snapshot::Tenant;
    use uuid::Uuid;

    use super::*;

    fn set(addresses: u32) -> Set {
        let tenant = Tenant::of(Uuid::nil());
        Arc::new(
            (0..addresses)
                .map(|n| tenant.address(&n.to_le_bytes()))
                .collect(),
        )
    }

    #[test]
    fn sets_that_were_not_used_for_the_longest_time_go_first() {
        let mut recent = Recent::default();
        let workspace = WorkspaceId(Uuid::nil());
        let digest = |n: u32| Tenant::of(Uuid::nil()).address(&n.to_le_bytes());
        let one = set(1);
        for n in 0..u32::try_from(MOST_SETS).unwrap() {
            recent.put(workspace, digest(n), one.clone());
        }
        assert!(recent.get(workspace, digest(0)).is_some());
        recent.put(workspace, digest(1_000), one.clone());
        assert!(recent.get(workspace, digest(0)).is_some());
        assert!(recent.get(workspace, digest(1)).is_none());
        assert!(
            recent
                .get(WorkspaceId(Uuid::from_u128(1)), digest(0))
                .is_none()
        );
        // A set that is larger than the whole bound is not kept.
        recent.put(workspace, digest(2_000), set(1_000_001));
        assert!(recent.0.is_empty());
    }
}
