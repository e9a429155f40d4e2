//! Errors of repositories.

use roost_platform::broker::CredentialError;
use roost_web::error::{ApiError, Code};

#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// The workspace does not have this connection.
    #[error("there is no such connection")]
    NoConnection,
    /// The workspace does not have this repository.
    #[error("there is no such repository")]
    NoRepo,
    /// The repository has no mirror.
    #[error("the repository has no mirror")]
    NoMirror,
    /// The host's branches could not be read, for this reason.
    #[error("the branches could not be read: {0}")]
    NoBranches(String),
    /// The workspace has the most mirrors that it may have.
    #[error("the workspace has {most} mirrors, which is the maximum")]
    TooManyMirrors { most: u64 },
    /// The workspace has the most connections that it may have.
    #[error("the workspace has {most} connections, which is the maximum")]
    TooMany { most: u64 },
    /// The address is invalid, or requests to it are not allowed.
    #[error("the address {0}")]
    BadAddress(String),
    /// The token was not stored, or not kept in time.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<RepoError> for ApiError {
    fn from(error: RepoError) -> Self {
        use RepoError as E;
        match error {
            E::NoConnection => Self::not_found("connection"),
            E::NoRepo => Self::not_found("repository"),
            E::NoMirror => Self::not_found("mirror"),
            E::NoBranches(why) => Self::new(Code::RemoteUnavailable).detail(why),
            E::TooManyMirrors { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} mirrors, the most that it may have. Remove one that is not needed."
            )),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The workspace has {most} connections, the most that it may have. Remove one that is not needed."
            )),
            E::Credential(CredentialError::TooSlow) => Self::new(Code::Unavailable)
                .detail("Storing the token took too long, so nothing was connected. Try again.")
                .retry_after(1),
            E::Credential(CredentialError::Broker(ref broker)) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the token: {fault}"),
                    None => "The secret broker does not answer, so nothing was connected. Its operator sees why in the log; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::Credential(CredentialError::Db(error)) | E::Db(error) => error.into(),
        }
    }
}
