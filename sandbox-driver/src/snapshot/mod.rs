//! Snapshots of workspaces on this machine.
//!
//! ```text
//!  take:     guest lists ─▶ compare with what was seen ─▶ guest reads what changed ─▶ chunks ─▶ pack ─▶ tree, root ─▶ record
//!  upload:   which chunks does the gateway lack? ─▶ put them ─▶ put the root ─▶ complete
//!  restore:  root ─▶ tree ─▶ is each chunk here? else fetch it ─▶ records of chunks and files ─▶ guest writes
//! ```
//! Invariants: a record names a snapshot only after its pack is on the disk; a snapshot is restored whole or not at all;
//! the sweep removes no chunk while a snapshot is taken or restored.
mod contents;
mod records;
mod remote;
mod restore;
mod seen;
mod shelf;
mod store;
mod take;
mod tar_stream;
mod transfer;
mod upload_pace;

pub use remote::{Remote, RemoteError, RemoteSnapshot};
pub(crate) use restore::restore;
pub use store::SnapshotStore;
pub(crate) use take::take;
pub(crate) use transfer::{TransferError, upload};
pub use upload_pace::UploadPace;

use roost_protocol::ids::WorkspaceId;
use roost_snapshot::{Address, Tenant};

use crate::error::DriverError;

/// A digest as an address.
///
/// # Errors
/// [`DriverError::Archive`] when it is not one.
pub(crate) fn address(digest: &str) -> Result<Address, DriverError> {
    digest
        .parse()
        .map_err(|error| DriverError::Archive(format!("{digest:?}: {error}")))
}

pub(crate) fn tenant(workspace: WorkspaceId) -> Tenant {
    Tenant::of(workspace.0)
}
