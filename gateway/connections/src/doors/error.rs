//! Errors of doors.

use crate::checkouts::CheckoutError;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    #[error("there is no such door")]
    NotFound,
    /// The workspace does not have this agent, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    #[error("the catalogue has no such action")]
    NoAction,
    /// The parameters do not fit the action's schema.
    #[error("the parameters are not valid for the action")]
    BadParams(Vec<FieldError>),
    /// The agent has no connection to the app.
    #[error("the agent is not connected to {0}")]
    NotConnected(&'static str),
    /// The action belongs to the repository of a run, and no run requests it.
    #[error("{0} can only be requested by an agent in a run that works on a repository")]
    NoRun(&'static str),
    /// The branch cannot be sent.
    #[error("{}", .0.words())]
    Checkout(#[source] CheckoutError),
    /// The run of the call is over, or is about to stop.
    #[error("the run that requests it is over")]
    RunIsOver,
    /// One agent requests too much.
    #[error("an agent may request {most} actions a minute; wait a moment")]
    TooFast { most: u64 },
    /// Too many doors wait already.
    #[error("{most} doors already wait for a decision")]
    TooMany { most: u64 },
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<CheckoutError> for DoorError {
    fn from(error: CheckoutError) -> Self {
        match error {
            CheckoutError::Db(error) => Self::Db(error),
            other => Self::Checkout(other),
        }
    }
}

impl From<DoorError> for ApiError {
    fn from(error: DoorError) -> Self {
        use DoorError as E;
        match error {
            E::NotFound => Self::not_found("door"),
            E::NoClaw => Self::not_found("claw"),
            E::NoAction => Self::validation(
                "/action",
                "is not in the catalogue; GET /api/doors/catalogue lists what may be asked for",
            ),
            E::BadParams(errors) => Self::validations(errors),
            E::NotConnected(provider) => Self::new(Code::Conflict).detail(format!(
                "The agent is not connected to {provider}. Connect it on the agent's page, then ask again."
            )),
            E::NoRun(action) => Self::new(Code::Conflict).detail(format!(
                "Only an agent in a run that works on a repository can request {action}. People push with the button on the run's page."
            )),
            E::Checkout(error) => error.into(),
            E::RunIsOver => Self::new(Code::Conflict).detail("The run that requests it is over."),
            E::TooFast { most } => Self::new(Code::TooManyAttempts)
                .retry_after(60)
                .detail(format!("An agent may request {most} actions a minute. Wait a moment.")),
            E::TooMany { most } => Self::new(Code::TooManyAttempts).retry_after(60).detail(format!(
                "{most} requests wait for a decision already. Decide some of them first."
            )),
            E::Db(error) => error.into(),
        }
    }
}
