//! Errors of mesh networks.

use super::model::Refusal;
use roost_platform::broker::CredentialError;
use roost_web::error::{ApiError, Code};

#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The workspace has no mesh network.
    #[error("the workspace has no mesh network")]
    None,
    /// The address is invalid, or requests to it are not allowed.
    #[error("the address {0}")]
    BadAddress(String),
    /// The list of devices could not be read.
    #[error("{0}")]
    Refused(Refusal),
    /// The key was not stored, or not kept in time.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<MeshError> for ApiError {
    fn from(error: MeshError) -> Self {
        use MeshError as E;
        match error {
            E::None => Self::not_found("mesh network"),
            E::BadAddress(why) => Self::validation("/base_url", why),
            E::Credential(CredentialError::TooSlow) => Self::new(Code::Unavailable)
                .detail("Storing the key took too long, so nothing was connected. Try again.")
                .retry_after(1),
            E::Refused(refusal) => {
                let code = match refusal.lasting {
                    true => Code::RemoteRefused,
                    false => Code::RemoteUnavailable,
                };
                let answer = Self::new(code).detail(refusal.detail);
                match refusal.retry_after {
                    Some(seconds) => answer.retry_after(seconds),
                    None => answer,
                }
            }
            E::Credential(CredentialError::Broker(_)) => Self::new(Code::Unavailable)
                .detail("The secret broker did not take the key, so nothing was connected. Its operator sees why in the log; try again.")
                .caused_by(error),
            E::Credential(CredentialError::Db(error)) | E::Db(error) => error.into(),
        }
    }
}
