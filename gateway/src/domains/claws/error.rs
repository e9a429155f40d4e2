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
    /// `If-Match` named another version of the brain, or somebody wrote at the same moment.
    #[error("the brain has version {current}")]
    BrainMoved { current: i64 },
    /// The history has no such version.
    #[error("there is no such version of the brain")]
    NoBrainVersion,
    /// The picture cannot be an avatar.
    #[error(transparent)]
    Picture(#[from] super::avatar::PictureError),
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
