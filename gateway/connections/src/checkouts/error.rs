//! Errors of checkouts.

use roost_machines::sandboxes::SandboxError;
use roost_platform::broker::BrokerError;
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::FaultCode;
use roost_web::error::{ApiError, Code};

use super::model::MOST_IN;
use crate::repos::RepoError;

#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The run does not exist, or it works on no repository.
    #[error("the run works on no repository")]
    NoBinding,
    /// The repository of a new run does not exist.
    #[error("the workspace has no such repository")]
    NoRepo,
    /// The uploaded files of a new run do not exist.
    #[error("the workspace has no such upload")]
    NoUpload,
    /// The uploaded files of a run were deleted.
    #[error(
        "the uploaded files {0} were deleted with the outputs of their run, or the secret broker was restored from a \
         backup, which does not have them; upload them again, and start a new run"
    )]
    UploadGone(String),
    /// A push or pull request of uploaded files.
    #[error(
        "the run works on uploaded files, so there is no code host; download the files of its branch on its page, or with \
         `roost run repo RUN --get DIR`"
    )]
    NoHost,
    /// The repository of a new run is not on its host any more.
    #[error("the code host does not list {0} any more")]
    RepoGone(String),
    /// The repository was removed from the workspace after the run began.
    #[error(
        "the repository {0} was removed from the workspace; connect its code host again, and start a new run"
    )]
    Disconnected(String),
    /// The repository has neither a base nor a default branch.
    #[error("the repository {0} has no commit to begin at; push a first commit, or name a base")]
    Empty(String),
    /// The mirror is being fetched.
    #[error("the mirror of the repository {0} is being fetched")]
    MirrorAway(String),
    /// The repository has no mirror.
    #[error("the repository {name} has no mirror: {why}")]
    NoMirror { name: String, why: String },
    /// The run has no commits to show or to push.
    #[error("no commit of that branch was received")]
    NoCommits,
    /// The agent has committed, and its commits were refused.
    #[error("{0}")]
    NotReceived(String),
    /// A pull request is asked for, and its branch is not on the host.
    #[error(
        "the newest commit of the branch is not on the code host; ask for repo.branch.push first"
    )]
    NotPushed,
    /// Nothing says into which branch a pull request goes.
    #[error(
        "the run began at a commit of {0}, and its host names no default branch; bind the run to a branch"
    )]
    NoTarget(String),
    /// Packages of a lock file cannot be added, for this reason.
    #[error("{0}")]
    NotAdded(String),
    /// A person confirmed another commit than the newest.
    #[error("the branch is at {0} now")]
    Moved(String),
    /// The broker refused or failed.
    #[error(transparent)]
    Broker(BrokerError),
    /// The mirror cannot be requested.
    #[error(transparent)]
    Repo(RepoError),
    /// The command in the sandbox could not run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The command in the sandbox ran and refused.
    #[error("{0}")]
    Guest(String),
    /// The command in the sandbox was lost. It may be repeated.
    #[error("the sandbox did not answer: {0}")]
    Lost(String),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<BrokerError> for CheckoutError {
    fn from(error: BrokerError) -> Self {
        Self::Broker(error)
    }
}

impl From<RepoError> for CheckoutError {
    fn from(error: RepoError) -> Self {
        match error {
            RepoError::NoRepo => Self::NoRepo,
            RepoError::Db(error) => Self::Db(error),
            other => Self::Repo(other),
        }
    }
}

impl CheckoutError {
    /// Whether a push that ended so may be on the code host all the same.
    pub fn is_unclear(&self) -> bool {
        match self {
            // The result of a push that was done could not be stored.
            Self::Db(_) => true,
            Self::Broker(BrokerError::Client(ClientError::Down { .. })) => false,
            Self::Broker(error) => matches!(
                error.code(),
                Some(FaultCode::RemoteUnreachable | FaultCode::RemoteTimeout | FaultCode::Unknown)
                    | None
            ),
            _ => false,
        }
    }

    /// The reason in words that say what to do.
    pub fn words(&self) -> String {
        match self {
            Self::Broker(error) => match error.fault() {
                Some(fault) if fault.code == FaultCode::TooLarge => format!(
                    "The files of that commit are over {} MiB, the most that goes into a sandbox. Choose a smaller \
                     repository, or take large files out of its history.",
                    MOST_IN >> 20
                ),
                Some(fault) => sentence(&fault.detail),
                None => "The secret broker does not answer. Its operator sees why in the log; try again.".to_owned(),
            },
            other => sentence(&other.to_string()),
        }
    }

    /// Whether a repeat may succeed without a person.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::MirrorAway(_) | Self::Lost(_) | Self::Db(_) => true,
            Self::Broker(error) => !matches!(
                error.code(),
                Some(
                    FaultCode::UnknownCommit
                        | FaultCode::BundleRefused
                        | FaultCode::BadRequest
                        | FaultCode::TooLarge
                        | FaultCode::UnknownRecord
                        | FaultCode::NotAllowed
                )
            ),
            _ => false,
        }
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

impl From<CheckoutError> for ApiError {
    fn from(error: CheckoutError) -> Self {
        use CheckoutError as E;
        match error {
            E::NoBinding => Self::not_found("repository of this run"),
            E::NoRepo => Self::validation("/repo/repo_id", "is not a repository of this workspace"),
            E::NoUpload => Self::validation("/repo/upload_id", "is not an upload of this workspace, or it was deleted; upload the files again"),
            E::RepoGone(_) => Self::validation("/repo/repo_id", "is a repository that its code host does not list any more"),
            E::Sandbox(error) => error.into(),
            E::Repo(error) => error.into(),
            E::Db(error) => error.into(),
            E::Moved(ref commit) => {
                let detail = format!("The branch is at {commit} now. Look at its commits again, then push.");
                Self::new(Code::Conflict).detail(detail)
            }
            E::NoCommits => Self::new(Code::Conflict).detail(
                "No commit of that branch was received. Commits arrive after each step that made some.",
            ),
            E::Broker(ref broker) => {
                let code = match broker.code() {
                    Some(FaultCode::PushRaced | FaultCode::NotAllowed | FaultCode::UnknownCommit | FaultCode::RemoteRefused | FaultCode::UnknownRecord) => Code::Conflict,
                    _ => Code::Unavailable,
                };
                let mut detail = error.words();
                if broker.code() == Some(FaultCode::NotAllowed) {
                    detail.push_str(" If the code host was connected before Roost could push, connect it again.");
                }
                let answer = Self::new(code).detail(detail);
                match code {
                    Code::Unavailable => answer.retry_after(5).caused_by(error),
                    _ => answer,
                }
            }
            other => Self::new(Code::Conflict).detail(other.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_platform::broker::BrokerError;
    use roost_secret_broker::wire::Fault;

    use super::*;

    fn broker(code: FaultCode, detail: &str) -> CheckoutError {
        BrokerError::from(ClientError::from(Fault::new(code, detail))).into()
    }

    #[test]
    fn repository_that_is_too_large_is_not_tried_again_and_the_words_say_what_to_do() {
        let error = broker(FaultCode::TooLarge, "over the limit");
        assert!(!error.is_passing());
        assert!(error.words().contains("256 MiB"), "{}", error.words());
        assert!(error.words().contains("Choose a smaller repository"));
    }

    #[test]
    fn push_without_an_answer_may_have_arrived_and_a_refused_one_has_not() {
        assert!(broker(FaultCode::RemoteTimeout, "late").is_unclear());
        assert!(CheckoutError::Db(sea_orm::DbErr::Custom("away".to_owned())).is_unclear());
        assert!(!broker(FaultCode::PushRaced, "raced").is_unclear());
        assert!(!broker(FaultCode::NotAllowed, "no").is_unclear());
        assert!(!CheckoutError::Moved("1".to_owned()).is_unclear());
    }

    #[test]
    fn words_are_a_sentence() {
        let error = broker(FaultCode::BundleRefused, "its branch is another branch");
        assert_eq!(error.words(), "Its branch is another branch.");
        let error = CheckoutError::Guest("git says: no.".to_owned());
        assert_eq!(error.words(), "Git says: no.");
    }

    #[test]
    fn broker_that_is_busy_is_asked_again() {
        assert!(broker(FaultCode::Busy, "busy").is_passing());
        assert!(CheckoutError::MirrorAway("acme/tools".to_owned()).is_passing());
        assert!(!broker(FaultCode::UnknownCommit, "gone").is_passing());
        assert!(!CheckoutError::Disconnected("acme/tools".to_owned()).is_passing());
    }
}
