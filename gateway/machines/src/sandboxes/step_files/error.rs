//! Why a run cannot begin with the files of an earlier step.

use crate::sandboxes::SandboxError;

/// Failures while a sandbox gets the files of an earlier step.
#[derive(Debug, thiserror::Error)]
pub enum StartFilesError {
    /// The snapshot is gone, or the machine does not have it any more.
    #[error(
        "The files of step {step} are not there any more. Fork the run without files; its agents then work with the files \
         that they have now."
    )]
    Gone { step: String },
    /// The sandbox of before could not be ended, or the new one could not be made.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl From<sea_orm::DbErr> for StartFilesError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Sandbox(error.into())
    }
}
