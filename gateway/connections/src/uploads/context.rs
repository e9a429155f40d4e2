//! The context of uploads.

use std::path::PathBuf;
use std::sync::Arc;

use roost_platform::broker::{BrokerHandle, Credentials};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;
use tokio::sync::Semaphore;

/// Uploads at the same time, for all workspaces.
const AT_ONCE: usize = 4;

/// The limits of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimits {
    /// Bytes of the archive.
    pub bytes: u64,
    /// Bytes of all its files.
    pub unpacked: u64,
    /// Files, links and folders.
    pub files: u64,
    /// Bytes of the files of all uploads of a workspace.
    pub workspace: u64,
}

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct UploadsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub credentials: Credentials,
    /// Where archives arrive.
    pub folder: PathBuf,
    pub limits: UploadLimits,
    pub work: Work,
}

/// Room for uploads.
#[derive(Debug, Clone)]
pub struct Work(pub(super) Arc<Semaphore>);

impl Default for Work {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl ChangeContext for UploadsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
