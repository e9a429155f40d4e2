//! The errors of missions.

use roost_execution::runs::RunError;
use roost_organisation::teams::TeamError;
use roost_platform::ids::TemplateId;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

use super::model::Status;

/// Errors of missions.
#[derive(Debug, thiserror::Error)]
pub enum MissionError {
    /// The mission does not exist, or it belongs to another tenant.
    #[error("there is no such mission")]
    NotFound,
    /// The mission has no such phase.
    #[error("the mission has no such phase")]
    NoPhase,
    /// The phase has no card yet.
    #[error("the phase has not ended, so it has no summary card")]
    NoCard,
    /// The mission has no such artifact.
    #[error("the mission has no such artifact")]
    NoArtifact,
    /// A PDF was asked for an artifact that is not a ready Markdown text.
    #[error("the artifact is not a ready Markdown text")]
    NotMarkdown,
    /// The file of a PDF that is not ready, with the error of one that failed.
    #[error("the PDF is not ready")]
    PdfNotReady(Option<String>),
    /// The workspace has no such node.
    #[error("there is no such node")]
    NoNode,
    /// The fields of the request are invalid.
    #[error("the request for the mission is invalid")]
    Wrong(Vec<FieldError>),
    /// A launch without `config.phase_teams` and without `team_template_id`.
    #[error("the mission names no team")]
    NoTeam,
    /// A launch of a benchmark or a security scan without a repository.
    #[error("the mission has no repository")]
    NoRepo,
    /// The repository was removed, or its host does not list it any more.
    #[error("the repository of the mission cannot be used")]
    RepoGone(String),
    /// The target node was deleted.
    #[error("the target node of the mission was deleted")]
    NodeDeleted,
    /// A template of its teams was deleted since the request named it.
    #[error("the team template {id} was deleted")]
    TemplateGone {
        id: TemplateId,
        /// Absent when the workspace never had it.
        name: Option<String>,
        /// Where the mission names it, as people write it.
        place: String,
    },
    /// The status cannot become the wanted one.
    #[error("a mission that is {from:?} cannot become {to:?}")]
    Move { from: Status, to: Status },
    /// A phase failed, and the mission was to be resumed.
    #[error("a phase of the mission failed")]
    PhaseFailed,
    /// The phase is not in a state in which the command is possible.
    #[error("the phase is {0}")]
    PhaseIs(String),
    /// A team could not be minted.
    #[error("a team could not be minted")]
    Team(#[from] TeamError),
    /// A run could not be started or changed.
    #[error("a run of the mission could not be started or changed")]
    Run(#[from] RunError),
    /// The routine of its schedule could not be made.
    #[error("the routine of the mission could not be made")]
    Routine(Box<ApiError>),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<MissionError> for ApiError {
    fn from(error: MissionError) -> Self {
        use MissionError as E;
        match error {
            E::NotFound => Self::not_found("mission"),
            E::NoNode => Self::not_found("node"),
            E::NoPhase => Self::not_found("phase"),
            E::NoCard => Self::not_found("summary card"),
            E::NoArtifact => Self::not_found("artifact"),
            E::NotMarkdown => Self::new(Code::Conflict).detail(
                "Only a Markdown artifact that is ready can be made into a PDF. The report of the mission as PDF has all artifacts.",
            ),
            E::PdfNotReady(None) => Self::new(Code::Conflict)
                .detail("The PDF is not ready. Read the artifact again until its status is `ready`."),
            E::PdfNotReady(Some(why)) => Self::new(Code::Conflict)
                .detail(format!("There is no PDF. {why}")),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::NoTeam => Self::new(Code::MissionHasNoTeam).detail(
                "The mission names no team. Create a mission with team templates in `config.phase_teams`, or with `team_template_id`.",
            ),
            E::NoRepo => Self::new(Code::MissionHasNoRepo).detail(
                "A benchmark and a security scan need a repository. Create the mission with `repo_id`; `/api/repos` lists the repositories.",
            ),
            E::RepoGone(name) => Self::new(Code::MissionHasNoRepo).detail(format!(
                "The repository {name} is not available: it was removed from the workspace, or its code host does not list it any more. Create the mission with another one."
            )),
            E::NodeDeleted => Self::new(Code::Conflict).detail(
                "The node that the mission has to work on was deleted. Create a mission with another node.",
            ),
            E::TemplateGone { id, name, place } => {
                let named = name.map_or_else(|| id.to_string(), |name| format!("{name} ({id})"));
                Self::new(Code::Conflict).detail(format!(
                    "The team template {named} in `{place}` was deleted. Name another one; `/api/team-templates` lists them."
                ))
            }
            E::Move { from, to } => Self::new(Code::Conflict).detail(format!(
                "The mission is {}, and cannot become {}.{}",
                from.as_str(),
                to.as_str(),
                match from.is_final() {
                    true => " Its status is final.",
                    false => "",
                }
            )),
            E::PhaseFailed => Self::new(Code::Conflict).detail(
                "A phase failed. Retry it or skip it, and the mission continues; or fail the mission.",
            ),
            E::PhaseIs(status) => Self::new(Code::Conflict).detail(format!(
                "The phase is {status}. A phase that failed can be retried; one that failed or has not begun can be skipped."
            )),
            E::Team(error) => error.into(),
            E::Run(error) => error.into(),
            E::Routine(error) => *error,
            E::Db(error) => error.into(),
        }
    }
}
