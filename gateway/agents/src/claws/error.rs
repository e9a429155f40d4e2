//! What can go wrong with an agent.

use roost_platform::db::unique_violation;
use roost_tenancy::workspaces::QuotaError;
use roost_web::error::{ApiError, Code};
use roost_web::picture::PictureError;

/// Errors of agents.
#[derive(Debug, thiserror::Error)]
pub enum ClawError {
    /// The workspace has no such agent, or it is deleted.
    #[error("there is no such claw")]
    NotFound,
    /// Another agent of the workspace has the name.
    #[error("another agent is called {name}")]
    NameTaken { name: String },
    /// `If-Match` named another version.
    #[error("the claw has version {current}")]
    VersionMismatch { current: i64 },
    /// `If-Match` named another version of the brain, or another write came at the same moment.
    #[error("the brain has version {current}")]
    BrainMoved { current: i64 },
    /// The history has no such version.
    #[error("there is no such version of the brain")]
    NoBrainVersion,
    /// The picture cannot be an avatar.
    #[error(transparent)]
    Picture(#[from] PictureError),
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

impl ClawError {
    /// The error of a statement that writes an agent. On PostgreSQL two concurrent writes meet at the unique index of
    /// names.
    pub(super) fn of_write(error: sea_orm::DbErr, name: &str) -> Self {
        match unique_violation(&error) {
            true => Self::NameTaken {
                name: name.to_owned(),
            },
            false => error.into(),
        }
    }
}

impl From<ClawError> for ApiError {
    fn from(error: ClawError) -> Self {
        use ClawError as E;
        match error {
            E::NotFound => Self::not_found("claw"),
            E::NameTaken { name } => Self::name_taken("/name", &name),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The claw has version {current} by now; read it again and repeat your change."
            )),
            E::BrainMoved { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The brain has version {current} now: another person or agent changed it. Compare the two, then write over that version."
            )),
            E::NoBrainVersion => Self::not_found("version of the brain"),
            E::Picture(PictureError::Failed(error)) => Self::internal(error),
            E::Picture(error) => Self::validation("", error.to_string()),
            E::BeingPurged => Self::new(Code::Conflict)
                .detail("The claw is being purged; nothing about it can be changed any more."),
            E::Quota(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}
