//! The errors of the models of a workspace.

use roost_platform::broker::CredentialError;
use roost_web::error::{ApiError, Code};

/// Errors of models.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// No model has that id.
    #[error("there is no such model")]
    None,
    /// `If-Match` named another version.
    #[error("the model has version {current}")]
    VersionMismatch { current: i64 },
    /// The address is not valid, or the outbound policy forbids it.
    #[error("the address {0}")]
    BadAddress(String),
    /// A model of that name exists already.
    #[error("a model named {name} already exists")]
    Taken { name: String },
    /// The workspace has the maximum number of models.
    #[error("the workspace has {most} models, which is the maximum")]
    TooMany { most: u64 },
    /// An agent names a model that the workspace does not have.
    #[error(
        "the agent uses the model {name}, and the workspace has no such model; add it, or choose another for the agent"
    )]
    NotBound { name: String },
    /// The key was not stored, or not kept in time.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<ModelsError> for ApiError {
    fn from(error: ModelsError) -> Self {
        use ModelsError as E;
        match error {
            E::None => Self::not_found("model"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The model has version {current} now: another person changed it. Read it again and repeat your change."
            )),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::Taken { name } => Self::new(Code::Conflict).detail(format!(
                "There is already a model {name} in this workspace. Change that one, or delete it first."
            )),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} models, the most that it may have. Remove one that is not needed."
            )),
            E::NotBound { .. } => Self::new(Code::Conflict).detail(error.to_string()),
            E::Credential(CredentialError::TooSlow) => Self::new(Code::Unavailable)
                .detail("Storing the key took too long, so nothing was changed. Try again.")
                .retry_after(1),
            E::Credential(CredentialError::Broker(ref broker)) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the key: {fault}"),
                    None => "The secret broker does not answer, so nothing was changed. Its operator sees why in the log; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::Credential(CredentialError::Db(error)) | E::Db(error) => error.into(),
        }
    }
}
