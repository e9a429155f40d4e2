//! The errors of teams.

use roost_agents::claws::ClawError;
use roost_connections::checkouts::CheckoutError;
use roost_execution::runs::{self, RunError};
use roost_execution::topology::Mistake;
use roost_machines::images::Lack;
use roost_tenancy::auth::Verb;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// Errors of teams.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The team does not exist, or it belongs to another tenant.
    #[error("there is no such team")]
    NotFound,
    /// The template does not exist.
    #[error("there is no such template")]
    NoTemplate,
    /// The fields of the request do not fit together.
    #[error("the request for the team is invalid")]
    Wrong(Vec<FieldError>),
    /// The request names an agent, and another agent already has that name.
    #[error("another agent is called {name}")]
    NameTaken { pointer: String, name: String },
    /// The topology is invalid.
    #[error("the topology has mistakes")]
    BadGraph(Vec<Mistake>),
    /// The team is being deleted.
    #[error("the team is being deleted")]
    Going,
    /// A run of the team, or of a team in which it works, is queued or running.
    #[error("a run of the team has not ended")]
    Busy,
    /// The team's sandboxes would lack something, and the request does not accept that.
    #[error("the team's sandboxes would lack something")]
    Lacks(Vec<Lack>),
    /// The caller may not choose machines.
    #[error("the caller may not choose machines")]
    MayNotPlace,
    /// `If-Match` named another version.
    #[error("the team has version {current}")]
    VersionMismatch { current: i64 },
    /// An agent could not be created or removed.
    #[error("an agent could not be created or deleted")]
    Claw(#[from] ClawError),
    /// The template could not be read.
    #[error("the template could not be read")]
    Template(#[from] crate::templates::TemplateError),
    /// A run could not be started.
    #[error("a run could not be started")]
    Run(#[from] RunError),
    /// The team's own repository is not in the workspace any more.
    #[error("the team's repository was removed from the workspace")]
    RepoRemoved,
    /// The run could not be bound to its repository.
    #[error("the run could not be bound to its repository")]
    Checkout(#[from] CheckoutError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<TeamError> for ApiError {
    fn from(error: TeamError) -> Self {
        use TeamError as E;
        match error {
            E::NameTaken { pointer, name } => Self::name_taken(pointer, &name),
            E::NotFound => Self::not_found("team"),
            E::NoTemplate => Self::not_found("team template"),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::BadGraph(mistakes) => Self::validations(runs::under("/topology", mistakes)),
            E::MayNotPlace => Self::new(Code::Forbidden).detail(format!(
                "Choosing a machine needs the role {} or a stronger one. Without a machine, sandboxes are made where the workspace's placement says.",
                Verb::SetPlacement.least_role().as_str()
            )),
            E::Lacks(lacks) => lacking(&lacks),
            E::Going => RunError::TeamGoing.into(),
            E::Busy => Self::new(Code::Conflict).detail(
                "A run of this team, or of a team in which it works, is queued or running. Cancel it, or wait for its end, then delete the team.",
            ),
            E::RepoRemoved => Self::new(Code::Conflict).detail(
                "The team's repository was removed from the workspace. Choose another one, or none, for the team or for this run.",
            ),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The team has version {current} now: another person or agent changed it. Read it again and repeat your change."
            )),
            E::Claw(error) => error.into(),
            E::Template(error) => error.into(),
            E::Run(error) => error.into(),
            E::Checkout(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

/// Says everything that is missing, and what to do about each.
fn lacking(lacks: &[Lack]) -> ApiError {
    let mut error = ApiError::new(Code::SandboxLacks).detail(
        "No team was made, because its sandboxes would lack something. To make the team all the same, accept that: \
         `accept_lacks` in the request, or `--accept-lacks` of `roost team create`.",
    );
    let errors = lacks.iter().map(|lack| FieldError {
        pointer: "/template_id".to_owned(),
        detail: format!("{} {}", lack.detail, lack.remedy),
    });
    error.errors = errors.collect();
    error
}
