//! What can go wrong with machines.

use crate::operations::OperationsError;
use crate::supervision::{NoAnswer, StartError};

/// Failures of the fleet's commands.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// No such machine in this workspace.
    #[error("no such machine in this workspace")]
    NotFound,
    /// The join code is unknown, or its ten minutes are over.
    #[error("the join code is unknown or has expired")]
    JoinCodeUnknown,
    /// Another machine has redeemed the code.
    #[error("the join code was used by another machine")]
    JoinCodeUsed,
    /// The hash of the token is one that another machine has.
    #[error("this token belongs to another machine")]
    TokenTaken,
    /// An operation could not be given to the machine.
    #[error(transparent)]
    Operation(#[from] OperationsError),
    /// The machine answered something that is no answer to the question.
    #[error("the machine did not do it: {0}")]
    Refused(String),
    /// The machine's actor did not answer.
    #[error("no answer from the machine's actor")]
    NoAnswer(#[from] NoAnswer),
    /// The machine's actor could not be started.
    #[error("the machine's actor could not be started")]
    Start(#[from] StartError),
    /// The system has no randomness.
    #[error("no randomness for a join code")]
    Randomness(getrandom::Error),
    /// The store failed.
    #[error("the store failed")]
    Db(#[from] sea_orm::DbErr),
}
