//! The errors of the runtime's commands.

use roost_agents::claws::ClawError;
use roost_connections::checkouts::CheckoutError;
use roost_execution::runs::RunError;
use roost_web::error::ApiError;
use roost_web::problem::FieldError;

/// Errors of the runtime's commands.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The fields of the request do not fit the workspace.
    #[error("the request is invalid")]
    Wrong(Vec<FieldError>),
    /// The agent could not be read or changed.
    #[error("the agent could not be changed")]
    Claw(#[from] ClawError),
    /// The run could not be started.
    #[error("the run could not be started")]
    Run(#[from] RunError),
    /// The run could not be bound to its repository.
    #[error("the run could not be bound to its repository")]
    Checkout(#[from] CheckoutError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<RuntimeError> for ApiError {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Wrong(mistakes) => Self::validations(mistakes),
            RuntimeError::Claw(error) => error.into(),
            RuntimeError::Run(error) => error.into(),
            RuntimeError::Checkout(error) => error.into(),
            RuntimeError::Db(error) => error.into(),
        }
    }
}
