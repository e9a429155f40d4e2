//! Starting: open what is on disk, then take up what an earlier life left unfinished.
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};

use super::config::{ExecutorConfig, ExecutorError};
use super::engine::Engine;
use super::ledger::Ledger;
use super::owner_log::{self, OwnerLog};
use super::shared::Shared;
use super::spool::SpoolFolder;
use super::{rounds, take};
use crate::{ArchiveStore, EngineConfig};

/// The image whose state is shown when the configuration names none.
pub const AGENT_IMAGE: &str = "roost-agent:dev";

/// Opens the state folder and starts the rounds.
///
/// # Errors
/// [`ExecutorError`] when the folder cannot be used.
pub async fn open(config: ExecutorConfig) -> Result<Arc<Shared>, ExecutorError> {
    let folder = &config.state_dir;
    let failed = |source| ExecutorError::StateDir {
        path: folder.clone(),
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(failed)?;
    let lock = lock(folder)?;
    let archives = ArchiveStore::open(folder.join("archives"))
        .await
        .map_err(|error| failed(std::io::Error::other(error)))?;
    let ledger = Ledger::open(&folder.join("ledger"), config.clock.clone()).map_err(failed)?;
    let spools = SpoolFolder::open(folder.join("spool")).map_err(failed)?;
    let log = OwnerLog::new(owner_log::path(folder));
    let engine = EngineConfig {
        host: config.engine,
        owner: config.install.to_string(),
        ..EngineConfig::default()
    };
    let engine = Engine::new(
        engine,
        config.image.unwrap_or_else(|| AGENT_IMAGE.to_owned()),
        archives,
    );
    let shared = Arc::new(Shared::new(
        (config.clock, config.policy),
        (ledger, spools, log, lock),
        engine,
    ));
    rounds::start(&shared);
    Ok(shared)
}

/// One executor a state folder: two would write one ledger. The kernel lets go of it when the process ends.
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

/// Takes up every operation without an end.
pub fn resume(shared: &Arc<Shared>) {
    let unfinished: Vec<_> = {
        let book = shared.ledger.book();
        book.entries()
            .filter(|(_, entry)| entry.ended.is_none())
            .filter_map(|(_, entry)| entry.request.clone())
            .collect()
    };
    for request in unfinished {
        take::resume(shared, request);
    }
}
