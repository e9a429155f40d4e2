//! The store of packages: files of one workspace, named by the hash that a lock file pins.

use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::model::Hash;
use roost_platform::clock::SharedClock;
use roost_platform::ids::WorkspaceId;

/// The begin of the names of files that are being written.
const HALF: &str = "half-";

/// What this process adds to those names. A file with another one was left behind by a gateway that was killed.
static OWN: LazyLock<String> = LazyLock::new(|| {
    let random = RandomState::new().build_hasher().finish();
    format!("{HALF}{random:016x}-")
});

/// The packages of a workspace.
#[derive(Clone)]
pub(super) struct Shelf {
    folder: PathBuf,
    clock: SharedClock,
}

impl Shelf {
    /// The shelf of a workspace. Makes its folder.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn of(
        folder: &Path,
        workspace: WorkspaceId,
        clock: SharedClock,
    ) -> io::Result<Self> {
        let folder = folder.join(workspace.0.to_string());
        let path = folder.clone();
        off_thread(move || DirBuilder::new().recursive(true).mode(0o700).create(&path)).await?;
        Ok(Self { folder, clock })
    }

    /// The content with this hash. A file that has another one was damaged, and is removed.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn read(&self, hash: &Hash) -> io::Result<Option<Vec<u8>>> {
        let (path, hash) = (self.folder.join(hash.key()), hash.clone());
        let now = self.clock.now();
        off_thread(move || {
            let content = match std::fs::read(&path) {
                Ok(content) => content,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            if !hash.fits(&content) {
                tracing::warn!(file = %path.display(), "a stored package is damaged; the gateway fetches it again");
                std::fs::remove_file(&path)?;
                return Ok(None);
            }
            // The age of a file says which one goes first.
            let file = File::options().append(true).open(&path)?;
            file.set_modified(now.into())?;
            Ok(Some(content))
        })
        .await
    }

    /// Keeps a content that was checked. Nothing of it stays when this fails.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn keep(&self, hash: &Hash, content: Vec<u8>) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let path = self.folder.join(hash.key());
        // Another job may keep the same package now: the last one wins, with the same content.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let half = self.folder.join(format!("{}{number}", *OWN));
        off_thread(move || {
            // Without a sync: what a power cut damages has another hash, and is fetched again.
            let mut options = File::options();
            let mut file = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&half)?;
            let kept = file
                .write_all(&content)
                .and_then(|()| std::fs::rename(&half, &path));
            if kept.is_err() {
                // On a full disk it would take the room that is left.
                std::fs::remove_file(&half)?;
            }
            kept
        })
        .await
    }

    /// Removes the packages that were not used for the longest time, until the rest has at most `most` bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn prune(&self, most: u64) -> io::Result<()> {
        let path = self.folder.clone();
        off_thread(move || pruned(&path, most)).await
    }
}

/// The workspaces that have a shelf. A folder with another name is not one of ours and stays.
///
/// # Errors
/// When the disk refuses.
pub async fn workspaces(folder: &Path) -> io::Result<Vec<WorkspaceId>> {
    let folder = folder.to_owned();
    off_thread(move || {
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            found.extend(
                name.to_str()
                    .and_then(|name| name.parse().ok())
                    .map(WorkspaceId),
            );
        }
        Ok(found)
    })
    .await
}

/// Removes what gateways that were killed left half-written. The folder belongs to this process alone.
///
/// # Errors
/// When the disk refuses.
pub async fn remove_half_written(folder: &Path, workspace: WorkspaceId) -> io::Result<()> {
    let folder = folder.join(workspace.0.to_string());
    off_thread(move || {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(HALF) && !name.starts_with(OWN.as_str()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    })
    .await
}

/// Removes the shelf of a workspace that is deleted.
///
/// # Errors
/// When the disk refuses.
pub async fn remove_of(folder: &Path, workspace: WorkspaceId) -> io::Result<()> {
    let folder = folder.join(workspace.0.to_string());
    off_thread(move || match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    })
    .await
}

fn pruned(folder: &Path, most: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        files.push((meta.modified()?, meta.len(), entry.path()));
    }
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    files.sort();
    for (_, bytes, path) in files {
        if total <= most {
            break;
        }
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => total -= bytes,
        }
    }
    Ok(())
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use roost_platform::clock::SystemClock;
    use sha2::{Digest, Sha256};

    use super::*;

    fn hash(content: &[u8]) -> Hash {
        Hash::Sha256(Sha256::digest(content).into())
    }

    #[tokio::test]
    async fn damaged_file_is_not_served_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        let shelf = Shelf::of(folder.path(), workspace, SystemClock::shared())
            .await
            .unwrap();
        let hash = hash(b"content");
        assert_eq!(shelf.read(&hash).await.unwrap(), None);
        shelf.keep(&hash, b"content".to_vec()).await.unwrap();
        assert_eq!(shelf.read(&hash).await.unwrap().unwrap(), b"content");
        let path = shelf.folder.join(hash.key());
        std::fs::write(&path, b"changed").unwrap();
        assert_eq!(shelf.read(&hash).await.unwrap(), None);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn what_a_killed_gateway_left_half_written_goes_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        let shelf = Shelf::of(folder.path(), workspace, SystemClock::shared())
            .await
            .unwrap();
        let hash = hash(b"content");
        shelf.keep(&hash, b"content".to_vec()).await.unwrap();
        let own = format!("{}77", *OWN);
        for half in ["half-1-0", "half-00000000000000ff-3", &own] {
            std::fs::write(shelf.folder.join(half), b"con").unwrap();
        }
        remove_half_written(folder.path(), workspace).await.unwrap();
        let left = std::fs::read_dir(&shelf.folder).unwrap();
        let left: std::collections::BTreeSet<_> = left
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(left, [hash.key(), own].into());
    }

    #[tokio::test]
    async fn package_of_one_workspace_is_not_found_by_another() {
        let folder = tempfile::tempdir().unwrap();
        let of = |id| {
            let workspace = WorkspaceId(uuid::Uuid::from_u128(id));
            Shelf::of(folder.path(), workspace, SystemClock::shared())
        };
        let hash = hash(b"content");
        let one = of(1).await.unwrap();
        one.keep(&hash, b"content".to_vec()).await.unwrap();
        assert_eq!(of(2).await.unwrap().read(&hash).await.unwrap(), None);
    }

    #[tokio::test]
    async fn packages_that_were_not_used_for_the_longest_time_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        let shelf = Shelf::of(folder.path(), workspace, SystemClock::shared())
            .await
            .unwrap();
        let (old, new) = (hash(b"older"), hash(b"newer"));
        shelf.keep(&old, b"older".to_vec()).await.unwrap();
        shelf.keep(&new, b"newer".to_vec()).await.unwrap();
        let file = File::options()
            .append(true)
            .open(shelf.folder.join(old.key()));
        file.unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        shelf.prune(5).await.unwrap();
        assert_eq!(shelf.read(&old).await.unwrap(), None);
        assert!(shelf.read(&new).await.unwrap().is_some());
    }
}
