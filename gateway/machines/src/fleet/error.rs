//! Errors of the fleet.

use crate::fleet::operations::OperationsError;
use roost_platform::supervision::{NoAnswer, StartError};
use roost_web::error::{ApiError, Code};

/// Failures of the fleet's commands.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The workspace does not have this machine.
    #[error("no such machine in this workspace")]
    NotFound,
    /// `If-Match` named another version.
    #[error("the machine has version {current}")]
    VersionMismatch { current: i64 },
    /// The join code is unknown, or its ten minutes are over.
    #[error("the join code is unknown or has expired")]
    JoinCodeUnknown,
    /// Another machine has redeemed the code.
    #[error("the join code was used by another machine")]
    JoinCodeUsed,
    /// The hash of the token belongs to another machine.
    #[error("this token belongs to another machine")]
    TokenTaken,
    /// An operation could not be given to the machine.
    #[error(transparent)]
    Operation(#[from] OperationsError),
    /// The machine reported an error, or its answer does not fit the request.
    #[error("the machine did not perform the request: {0}")]
    Refused(String),
    /// The machine's actor did not answer.
    #[error("no answer from the machine's actor")]
    NoAnswer(#[from] NoAnswer),
    /// The machine's actor could not be started.
    #[error("the machine's actor could not be started")]
    Start(#[from] StartError),
    /// The system has no randomness.
    #[error("the system has no randomness for a join code")]
    Randomness(getrandom::Error),
    /// The store failed.
    #[error("the store failed")]
    Db(#[from] sea_orm::DbErr),
}

impl From<FleetError> for ApiError {
    fn from(error: FleetError) -> Self {
        use FleetError as E;
        match error {
            E::NotFound => Self::not_found("node"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The machine has version {current} now. Read it again and repeat your change."
            )),
            E::JoinCodeUnknown => Self::new(Code::JoinCodeUnknown)
                .detail("The join code is unknown or older than ten minutes; make a new one on the fleet page."),
            E::JoinCodeUsed => Self::new(Code::JoinCodeUsed)
                .detail("The join code was used by another machine; make a new one on the fleet page."),
            E::TokenTaken => Self::new(Code::Conflict).detail(
                "This token belongs to another machine: remove the daemon's state (`roostd leave`) and join again.",
            ),
            E::Operation(error) => error.into(),
            E::Refused(why) => Self::new(Code::Unavailable).detail(format!("The machine did not do it: {why}")),
            E::NoAnswer(_) => Self::new(Code::NoAnswer).caused_by(error),
            E::Start(_) | E::Randomness(_) => Self::internal(error),
            E::Db(error) => error.into(),
        }
    }
}
