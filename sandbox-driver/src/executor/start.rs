//! Start: opens the state on disk, then resumes what an earlier process left unfinished.
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};

use super::config::{ExecutorConfig, ExecutorError};
use super::engine::Engine;
use super::images::Images;
use super::ledger::Ledger;
use super::owner_log::{self, OwnerLog};
use super::shared::Shared;
use super::snapshots::Snapshots;
use super::spool::{Known, SpoolFolder};
use super::wanted::WantedImage;
use super::{admit, rounds};
use crate::{ArchiveStore, EngineConfig, SnapshotStore, private};

/// Opens the state folder and starts the background tasks.
///
/// # Errors
/// [`ExecutorError`] when the folder cannot be used.
pub async fn open(config: ExecutorConfig) -> Result<Arc<Shared>, ExecutorError> {
    let folder = &config.state_dir;
    let failed = |source| ExecutorError::StateDir {
        path: folder.clone(),
        source,
    };
    private::make_folder(folder).map_err(failed)?;
    let lock = lock(folder)?;
    let mended = private::mend(folder).map_err(failed)?;
    private::say_mended(mended, folder);
    let disk = rustix::fs::statvfs(folder).map_err(|error| failed(error.into()))?;
    let disk = disk.f_blocks.saturating_mul(disk.f_frsize);
    let most = config.policy.archive_bytes(disk);
    let unusable = |error| failed(std::io::Error::other(error));
    let archives = ArchiveStore::open(folder.join("archives"), most)
        .await
        .map_err(unusable)?;
    let snapshots = SnapshotStore::open(
        folder.join("snapshots"),
        archives.clone(),
        most,
        config.remote,
    )
    .await
    .map_err(unusable)?;
    let ledger = Ledger::open(&folder.join("ledger"), config.clock.clone()).map_err(failed)?;
    let most = config.policy.output_bytes();
    let spools = SpoolFolder::open(folder.join("spool"), most, |operation| {
        let index = ledger.index();
        let entry = index.get(operation)?;
        let on_behalf = entry.request.as_ref().and_then(|request| request.on_behalf);
        Some(Known {
            workspace: on_behalf.map(|on| on.workspace),
            ended: entry.ended.is_some(),
        })
    })
    .map_err(failed)?;
    let log = OwnerLog::new(owner_log::path(folder));
    let engine = EngineConfig {
        host: config.engine,
        owner: config.install.to_string(),
        ..EngineConfig::default()
    };
    let wanted = WantedImage::open(folder, config.image);
    let engine = Engine::new(engine, config.policy.clone(), wanted, (archives, snapshots));
    let shared = Arc::new(Shared::new(
        (config.clock, config.policy),
        (ledger, spools, log, lock),
        (
            engine,
            Images::new(folder, config.images),
            Snapshots::new(config.snapshots_every),
        ),
    ));
    rounds::start(&shared);
    Ok(shared)
}

/// One executor per state folder: two would write one ledger. The kernel releases the lock when the process ends.
fn lock(folder: &Path) -> Result<File, ExecutorError> {
    let path = folder.join("lock");
    let failed = |source| ExecutorError::StateDir {
        path: path.clone(),
        source,
    };
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(ExecutorError::InUse {
            path: folder.to_owned(),
        }),
        Err(error) => Err(failed(error.into())),
    }
}

/// Resumes every operation without an end.
pub fn resume(shared: &Arc<Shared>) {
    let unfinished: Vec<_> = {
        let index = shared.ledger.index();
        index
            .entries()
            .filter(|(_, entry)| entry.ended.is_none())
            .filter_map(|(_, entry)| entry.request.clone())
            .collect()
    };
    for request in unfinished {
        admit::resume(shared, request);
    }
}
