//! Errors of mesh networks.

use super::model::Refusal;
use crate::platform::broker::BrokerError;
use crate::web::error::{ApiError, Code};

#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The workspace has no mesh network.
    #[error("the workspace has no mesh network")]
    None,
    /// The address is invalid, or requests to it are not allowed.
    #[error("the address {0}")]
    BadAddress(String),
    /// The steps between the key and the row took longer than the outbox waits.
    #[error("connecting the network took too long; try again")]
    TooSlow,
    /// The list of devices could not be read.
    #[error("{0}")]
    Refused(Refusal),
    /// The broker did not store the key.
    #[error("the secret broker did not store the key")]
    Broker(#[from] BrokerError),
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
            E::TooSlow => Self::new(Code::Unavailable)
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
            E::Broker(_) => Self::new(Code::Unavailable)
                .detail("The secret broker did not take the key, so nothing was connected. Its operator sees why in the log; try again.")
                .caused_by(error),
            E::Db(error) => error.into(),
        }
    }
}
