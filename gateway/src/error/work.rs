//! Errors of teams and runs on their way out.

use super::{ApiError, Code};
use crate::domains::auth::Verb;
use crate::domains::runs::RunError;
use crate::domains::teams::TeamError;
use crate::domains::topology::Mistake;
use crate::http::problem::FieldError;

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        use RunError as E;
        match error {
            E::NotFound => Self::not_found("run"),
            E::NoStep => Self::validation("/step", "the run never came to this step"),
            E::StillGoing => Self::new(Code::Conflict)
                .detail("The run is still going on. Cancel it, or wait for its end, then fork it."),
            E::Forgotten => Self::new(Code::Conflict).detail(
                "What the steps before it handed over is past `runs.retention_days` and not kept any more. Start a run of the team instead.",
            ),
            E::TeamGoing => going(),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::BadGraph(mistakes) => Self::validations(under("/graph", mistakes)),
            E::Db(error) => error.into(),
        }
    }
}

impl From<TeamError> for ApiError {
    fn from(error: TeamError) -> Self {
        use TeamError as E;
        match error {
            E::NotFound => Self::not_found("team"),
            E::NoTemplate => Self::not_found("team template"),
            E::Wrong(mistakes) => Self::validations(mistakes),
            E::BadGraph(mistakes) => Self::validations(under("/topology", mistakes)),
            E::MayNotPlace => Self::new(Code::Forbidden).detail(format!(
                "Choosing a machine needs the role {} or a stronger one. Without a machine, sandboxes are made where the workspace's placement says.",
                Verb::SetPlacement.least_role().as_str()
            )),
            E::Going => going(),
            E::Busy => Self::new(Code::Conflict).detail(
                "A run of this team is queued or at work. Cancel it, or wait for its end, then delete the team.",
            ),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The team has version {current} by now: somebody changed it since. Read it again and repeat your change."
            )),
            E::Claw(error) => error.into(),
            E::Template(error) => error.into(),
            E::Run(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

fn going() -> ApiError {
    ApiError::new(Code::Conflict)
        .detail("The team is being taken down, with its agents. Make a new one.")
}

fn under(field: &str, mistakes: Vec<Mistake>) -> Vec<FieldError> {
    let pointed = mistakes.into_iter().map(|mistake| FieldError {
        pointer: format!("{field}{}", mistake.pointer),
        detail: mistake.detail,
    });
    pointed.collect()
}
