//! Errors of uploads.

use roost_platform::broker::{BrokerError, CredentialError};
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::FaultCode;
use roost_web::error::{ApiError, Code};

use super::model::Refusal;

#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The archive breaks a rule.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The archive is larger than it may be.
    #[error("the archive has more than {} MiB, the most of an upload", .0 >> 20)]
    TooLarge(u64),
    /// The workspace has too many uploaded files.
    #[error(
        "the uploads of the workspace have {} MiB together, the most is {} MiB; uploads are deleted with the outputs of their runs",
        .used >> 20, .most >> 20
    )]
    Full { used: u64, most: u64 },
    /// The connection broke, or the client sent too slowly.
    #[error("the upload did not arrive whole; nothing of it was kept, so send it again")]
    BrokeOff(#[source] axum::Error),
    /// Too many uploads at this moment.
    #[error("the gateway takes other uploads in; try again")]
    Busy,
    /// The file system refused.
    #[error("the gateway cannot store the upload")]
    Disk(#[source] std::io::Error),
    /// The broker did not keep the files.
    #[error("the secret broker did not keep the files")]
    Broker(#[source] BrokerError),
    /// The workspace is being deleted.
    #[error("the workspace is being deleted")]
    NoWorkspace,
    /// The gateway took too long.
    #[error("the files were not kept in time; try again")]
    TooSlow,
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<CredentialError> for UploadError {
    fn from(error: CredentialError) -> Self {
        match error {
            CredentialError::Broker(error) => Self::Broker(error),
            CredentialError::TooSlow => Self::TooSlow,
            CredentialError::Db(error) => Self::Db(error),
        }
    }
}

impl From<UploadError> for ApiError {
    fn from(error: UploadError) -> Self {
        use UploadError as E;
        match error {
            E::Refused(refusal) => Self::validation("", sentence(&refusal.to_string())),
            E::TooLarge(_) => Self::new(Code::PayloadTooLarge).detail(sentence(&error.to_string())),
            E::Full { .. } | E::NoWorkspace => {
                Self::new(Code::Conflict).detail(sentence(&error.to_string()))
            }
            E::BrokeOff(_) => Self::validation("", error.to_string()),
            E::Db(error) => error.into(),
            E::Busy | E::TooSlow => Self::new(Code::Unavailable)
                .detail(sentence(&error.to_string()))
                .retry_after(5),
            E::Disk(ref cause) => {
                let detail = match cause.kind() {
                    std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                        "The gateway's disk is full. Its operator makes room; nothing of the upload was kept."
                    }
                    _ => {
                        "The gateway cannot store the upload. Its operator sees why in the log; nothing was kept."
                    }
                };
                Self::new(Code::Unavailable)
                    .detail(detail)
                    .retry_after(30)
                    .caused_by(error)
            }
            E::Broker(ref broker) => {
                let full = broker.code() == Some(FaultCode::StoreFailed);
                let is_ours = matches!(broker, BrokerError::Client(ClientError::Refused(_)));
                let detail = match (full, broker.fault()) {
                    (true, _) => "The disk of the secret broker is full. Its operator makes room; nothing was kept.".to_owned(),
                    (false, Some(fault)) if is_ours => sentence(&fault.detail),
                    _ => "The secret broker does not answer. Its operator sees why in the log; try again.".to_owned(),
                };
                Self::new(Code::Unavailable)
                    .detail(detail)
                    .retry_after(30)
                    .caused_by(error)
            }
        }
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}
