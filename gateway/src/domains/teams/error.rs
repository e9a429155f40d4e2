//! What can go wrong with teams.

use crate::domains::claws::ClawError;
use crate::domains::runs::RunError;
use crate::domains::topology::Mistake;
use crate::http::problem::FieldError;

/// Errors of teams.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// There is none, or it is another tenant's.
    #[error("there is no such team")]
    NotFound,
    /// The template is not there.
    #[error("there is no such template")]
    NoTemplate,
    /// What was asked for does not fit together.
    #[error("the team cannot be made like that")]
    Wrong(Vec<FieldError>),
    /// The topology has mistakes.
    #[error("the topology has mistakes")]
    BadGraph(Vec<Mistake>),
    /// It is taken down.
    #[error("the team is being taken down")]
    Going,
    /// A run of it is queued or at work.
    #[error("a run of the team is still going on")]
    Busy,
    /// Whoever makes or changes it may not choose machines.
    #[error("may not choose machines")]
    MayNotPlace,
    /// `If-Match` named another version.
    #[error("the team has version {current}")]
    VersionMismatch { current: i64 },
    /// An agent could not be made or removed.
    #[error("an agent could not be made or removed")]
    Claw(#[from] ClawError),
    /// Its template could not be read.
    #[error("the template could not be read")]
    Template(#[from] crate::domains::templates::TemplateError),
    /// A run could not be started.
    #[error("a run could not be started")]
    Run(#[from] RunError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
