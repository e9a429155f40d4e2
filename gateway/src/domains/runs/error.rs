//! What can go wrong with runs.

use crate::domains::topology::Mistake;
use crate::http::problem::FieldError;

/// Errors of runs.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is none, or it is another tenant's.
    #[error("there is no such run")]
    NotFound,
    /// It has no such step, or never came to it.
    #[error("the run never came to that step")]
    NoStep,
    /// Only what is over can be forked.
    #[error("the run is still going on; cancel it, or wait for its end")]
    StillGoing,
    /// What the steps before it handed over is not kept any more.
    #[error("what the run handed over is past its retention")]
    Forgotten,
    /// Its team is being taken down.
    #[error("the run's team is being taken down")]
    TeamGoing,
    /// What was asked for does not fit together.
    #[error("the run cannot be made like that")]
    Wrong(Vec<FieldError>),
    /// The topology cannot be run.
    #[error("the topology has mistakes")]
    BadGraph(Vec<Mistake>),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
