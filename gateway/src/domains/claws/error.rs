//! What can go wrong with an agent.

use crate::domains::workspaces::QuotaError;

/// Errors of agents.
#[derive(Debug, thiserror::Error)]
pub enum ClawError {
    /// There is none in this workspace, or it is deleted.
    #[error("there is no such claw")]
    NotFound,
    /// `If-Match` named another version.
    #[error("the claw has version {current}")]
    VersionMismatch { current: i64 },
    /// A purge has begun.
    #[error("the claw is being purged")]
    BeingPurged,
    /// The plan's limit is reached.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
