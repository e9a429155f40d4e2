//! The errors of routines.

use crate::missions::MissionError;
use roost_organisation::teams::TeamError;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// The routines that a workspace may have.
pub const MOST_ROUTINES: u64 = 200;

/// Errors of routines.
#[derive(Debug, thiserror::Error)]
pub enum RoutineError {
    /// The routine does not exist, or it belongs to another tenant.
    #[error("there is no such routine")]
    NotFound,
    /// `If-Match` named another version.
    #[error("the routine has version {current}")]
    VersionMismatch { current: i64 },
    /// The fields of the request are invalid.
    #[error("the request for the routine is invalid")]
    Wrong(Vec<FieldError>),
    /// The workspace has the maximum number of routines.
    #[error("the workspace has {MOST_ROUTINES} routines, which is the maximum")]
    TooMany,
    /// Earlier firings work, and the routine does not allow another one.
    #[error("an earlier firing works")]
    Busy,
    /// The person for whom the routine acts may not do what it does.
    #[error("the person may not do this any more")]
    NoRight(String),
    /// The stored routine has a form of another version.
    #[error("the stored routine cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// The team of the recipe could not be minted or run.
    #[error("the team could not be minted or run")]
    Team(#[source] TeamError),
    /// The template of the recipe's team was deleted.
    #[error("the template of the team was deleted")]
    TemplateGone(#[source] MissionError),
    /// The mission of the recipe could not be created or launched.
    #[error("the mission could not be created or launched")]
    Mission(#[source] MissionError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<TeamError> for RoutineError {
    fn from(error: TeamError) -> Self {
        match error {
            TeamError::Db(error) => Self::Db(error),
            error => Self::Team(error),
        }
    }
}

impl From<MissionError> for RoutineError {
    fn from(error: MissionError) -> Self {
        match error {
            MissionError::Db(error) | MissionError::Team(TeamError::Db(error)) => Self::Db(error),
            error => Self::Mission(error),
        }
    }
}

impl From<RoutineError> for ApiError {
    fn from(error: RoutineError) -> Self {
        use RoutineError as E;
        match error {
            E::NotFound => Self::not_found("routine"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The routine was changed meanwhile and has version {current} now. Read it again, and then repeat the change."
            )),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::TooMany => Self::new(Code::Conflict).detail(format!(
                "The workspace has {MOST_ROUTINES} routines, the most that it may have. Delete one that is not needed any more."
            )),
            E::Busy => Self::new(Code::Conflict).detail(
                "An earlier firing of the routine still works. Wait for its end, cancel it, or let the routine overlap (`overlap`).",
            ),
            E::NoRight(why) => Self::new(Code::Forbidden).detail(why),
            E::Unreadable(error) => Self::internal(error),
            E::Team(error) => under("/recipe", error.into()),
            E::TemplateGone(error) => under("/recipe", error.into()),
            E::Mission(error) => under("/recipe/mission", error.into()),
            E::Db(error) => error.into(),
        }
    }
}

/// An error whose pointers begin at a place of the routine's request.
fn under(place: &str, mut error: ApiError) -> ApiError {
    for field in &mut error.errors {
        field.pointer = format!("{place}{}", field.pointer);
    }
    error
}
