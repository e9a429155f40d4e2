//! What can go wrong with a door.

use crate::http::problem::FieldError;

/// Errors of doors.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    #[error("there is no such door")]
    NotFound,
    /// There is no such agent in this workspace, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    #[error("the catalogue has no such action")]
    NoAction,
    /// The parameters do not fit the action's schema.
    #[error("the parameters do not fit the action")]
    BadParams(Vec<FieldError>),
    /// The agent has no connection to the app.
    #[error("the agent is not connected to {0}")]
    NotConnected(&'static str),
    /// Too many wait already.
    #[error("{most} doors wait for a decision already")]
    TooMany { most: u64 },
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
