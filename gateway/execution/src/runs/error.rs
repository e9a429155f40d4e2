//! The errors of runs.

use super::messages::MOST;
use crate::topology::Mistake;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// Errors of runs.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The run does not exist, or it belongs to another tenant.
    #[error("there is no such run")]
    NotFound,
    /// The run has no such step, or did not reach it.
    #[error("the run did not reach that step")]
    NoStep,
    /// The run has no such step.
    #[error("the run has no such step")]
    StepNotFound,
    /// No agent works on the step.
    #[error("no agent works on that step")]
    NoAgent,
    /// Only a run that has ended can be forked.
    #[error("the run has not ended; cancel it, or wait for its end")]
    StillGoing,
    /// The retention has passed for the outputs of the earlier steps.
    #[error("the retention of the run's output has ended")]
    Deleted,
    /// Files that the fork would begin with are not there.
    #[error("files of the step are not there: {0}")]
    NoFiles(String),
    /// The run has ended, or is about to.
    #[error("the run has ended")]
    Over,
    /// The runs of the tree have as many messages as they may.
    #[error("the run has too many messages")]
    TooManyMessages,
    /// Its team is being deleted.
    #[error("the run's team is being deleted")]
    TeamGoing,
    /// Its agent is deleted.
    #[error("the run's agent is deleted")]
    AgentGone,
    /// The fields of the request do not fit together.
    #[error("the request for the run is invalid")]
    Wrong(Vec<FieldError>),
    /// The topology is invalid.
    #[error("the topology has mistakes")]
    BadGraph(Vec<Mistake>),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        use RunError as E;
        match error {
            E::NotFound => Self::not_found("run"),
            E::NoStep => Self::validation("/step", "the run never came to this step"),
            E::StepNotFound => Self::not_found("step"),
            E::NoAgent => Self::new(Code::Conflict).detail(
                "No agent works on this step. Stop an agent in the run that the step started, or cancel that run.",
            ),
            E::StillGoing => Self::new(Code::Conflict)
                .detail("The run is still going on. Cancel it, or wait for its end, then fork it."),
            E::Deleted => Self::new(Code::Conflict).detail(
                "The outputs of the earlier steps are older than `runs.retention_days` and were deleted. Start a new run of the team instead.",
            ),
            E::NoFiles(why) => Self::new(Code::Conflict).detail(format!(
                "The files of this step are not there: {why} Fork the run without files (`without_files`); its agents then \
                 work with the files that they have now."
            )),
            E::Over => Self::new(Code::Conflict)
                .detail("The run has ended. Fork it from one of its steps, and change what its agents hear there."),
            E::TooManyMessages => Self::new(Code::Conflict).detail(format!(
                "The run has {MOST} messages already. Cancel it, and begin a new run with a goal that says everything."
            )),
            E::TeamGoing => Self::new(Code::Conflict)
                .detail("The team is being taken down, with its agents. Make a new one."),
            E::AgentGone => Self::new(Code::Conflict)
                .detail("The agent is deleted. Give the work to another agent."),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::BadGraph(mistakes) => Self::validations(under("/graph", mistakes)),
            E::Db(error) => error.into(),
        }
    }
}

/// Maps the mistakes of a graph to errors of the field that holds it.
pub fn under(field: &str, mistakes: Vec<Mistake>) -> Vec<FieldError> {
    let pointed = mistakes.into_iter().map(|mistake| FieldError {
        pointer: format!("{field}{}", mistake.pointer),
        detail: mistake.detail,
    });
    pointed.collect()
}
