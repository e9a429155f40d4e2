//! The errors of level-ups.

use super::model::MOST_PENDING;
use super::schema::Fault;
use roost_agents::claws::ClawError;
use roost_execution::models::ModelsError;
use roost_execution::providers::{ErrorKind, ModelError};
use roost_organisation::skills::SkillError;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// Errors of level-ups.
#[derive(Debug, thiserror::Error)]
pub enum LevelUpError {
    /// The proposal does not exist in this workspace.
    #[error("there is no such proposal")]
    NotFound,
    /// The agent does not exist, or it is deleted.
    #[error("there is no such agent")]
    NoAgent,
    /// The team does not exist, or it is being deleted.
    #[error("there is no such team")]
    NoTeam,
    /// A proposal for the same agent or team is being made.
    #[error("a proposal is being made already")]
    Busy,
    /// The workspace has the maximum number of pending proposals.
    #[error("the workspace has {MOST_PENDING} pending proposals, which is the maximum")]
    TooManyPending,
    /// The setting names a model that the workspace does not have.
    #[error("the workspace has no model {name}")]
    NoModel { name: String },
    /// The model could not be resolved.
    #[error("the model could not be resolved")]
    Models(#[source] ModelsError),
    /// The answer could cost more than the workspace's ceiling allows.
    #[error("the monthly ceiling does not allow another answer")]
    OverCeiling { month: u64, spent: u64, next: u64 },
    /// The model gave no answer.
    #[error("the model gave no answer")]
    Model(#[source] ModelError),
    /// The model's answers did not come in time.
    #[error("the model did not answer in time")]
    TooSlow,
    /// Both answers of the model do not have the form.
    #[error("the answer of {model} does not have the form")]
    BadAnswer {
        model: String,
        faults: Vec<Fault>,
        cost_microusd: Option<u64>,
    },
    /// The proposal has no items with these ids. The numbers are their places in the request.
    #[error("the proposal does not have these items")]
    UnknownItems(Vec<usize>),
    /// Items that cannot be applied any more, with the reasons.
    #[error("items cannot be applied any more")]
    Outdated(Vec<Stale>),
    /// The stored proposal has a form of another version.
    #[error("the stored proposal cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// An agent could not be changed.
    #[error("an agent could not be changed")]
    Claw(#[from] ClawError),
    /// A skill could not be changed.
    #[error("a skill could not be changed")]
    Skill(#[from] SkillError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

/// An item that cannot be applied any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    pub item: String,
    /// Its place in the request.
    pub place: usize,
    pub reason: String,
}

impl From<LevelUpError> for ApiError {
    fn from(error: LevelUpError) -> Self {
        use LevelUpError as E;
        match error {
            E::NotFound => Self::not_found("proposal"),
            E::NoAgent => Self::not_found("claw"),
            E::NoTeam => Self::not_found("team"),
            E::Busy => Self::new(Code::Conflict).detail(
                "A proposal for this agent or team is being made already. Wait for it; it appears in the list of pending proposals.",
            ),
            E::TooManyPending => Self::new(Code::Conflict).detail(format!(
                "The workspace has {MOST_PENDING} pending proposals, the most that it may have. Apply or reject some first."
            )),
            E::NoModel { name } => Self::new(Code::Conflict).detail(format!(
                "Proposals are made with the model {name} (setting `level_up_model` of the gateway), and this workspace has no such model. An admin adds it in *Settings*, *Models*."
            )),
            E::Models(error) => error.into(),
            E::OverCeiling { month, spent, next } => Self::new(Code::Conflict).detail(format!(
                "The workspace may spend {} on models in thirty days. It has spent {}, and this answer may cost up to {}. An admin raises the ceiling in *Settings*, *Models*.",
                dollars(month), dollars(spent), dollars(next)
            )),
            E::Model(error) => of_model(error),
            E::TooSlow => Self::new(Code::NoAnswer)
                .detail("The model did not answer within five minutes, so no proposal was made. Try again, or use a faster model."),
            E::BadAnswer { model, faults, .. } => bad_answer(&model, faults),
            E::UnknownItems(places) => Self::validations(
                places
                    .into_iter()
                    .map(|place| FieldError {
                        pointer: format!("/approved_item_ids/{place}"),
                        detail: "is not the id of an item of this proposal".to_owned(),
                    })
                    .collect(),
            ),
            E::Outdated(stale) => outdated(stale),
            E::Unreadable(error) => Self::internal(error),
            E::Claw(error) => error.into(),
            E::Skill(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

fn of_model(error: ModelError) -> ApiError {
    let said = format!("No proposal was made: {}", error.message);
    let answer = match error.kind {
        ErrorKind::Retryable => ApiError::new(Code::RemoteUnavailable).retry_after(10),
        ErrorKind::RateLimited { after } => {
            let seconds = after.map_or(30, |after| after.as_secs().max(1));
            ApiError::new(Code::RemoteUnavailable).retry_after(seconds)
        }
        ErrorKind::Quota | ErrorKind::NeedsAuth | ErrorKind::Terminal => {
            ApiError::new(Code::RemoteRefused)
        }
        ErrorKind::TooBig => ApiError::new(Code::ModelAnswerInvalid),
    };
    answer.detail(said).caused_by(error)
}

fn bad_answer(model: &str, faults: Vec<Fault>) -> ApiError {
    let mut error = ApiError::new(Code::ModelAnswerInvalid).detail(format!(
        "The model {model} answered twice, and neither answer has the form of a proposal. Nothing was changed. Try again, or use another model."
    ));
    let faults = faults.into_iter().map(|fault| FieldError {
        pointer: fault.pointer,
        detail: fault.detail,
    });
    error.errors = faults.collect();
    error
}

fn outdated(stale: Vec<Stale>) -> ApiError {
    let names: Vec<&str> = stale.iter().map(|one| one.item.as_str()).collect();
    let mut error = ApiError::new(Code::ProposalOutdated).detail(format!(
        "These items cannot be applied any more: {}. Nothing was applied. Approve the others without them, or reject the proposal and ask for a new one.",
        names.join(", ")
    ));
    let stale = stale.into_iter().map(|one| FieldError {
        pointer: format!("/approved_item_ids/{}", one.place),
        detail: format!("{}: {}", one.item, one.reason),
    });
    error.errors = stale.collect();
    error
}

fn dollars(microusd: u64) -> String {
    format!(
        "${}.{:02}",
        microusd / 1_000_000,
        microusd % 1_000_000 / 10_000
    )
}
