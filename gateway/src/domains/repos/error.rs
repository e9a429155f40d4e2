//! What can go wrong with repositories.

use crate::broker::BrokerError;

/// Errors of repositories.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// There is no such connection in this workspace.
    #[error("there is no such connection")]
    NoConnection,
    /// There is no such repository in this workspace.
    #[error("there is no such repository")]
    NoRepo,
    /// The repository has no mirror.
    #[error("the repository has no mirror")]
    NoMirror,
    /// The workspace has as many mirrors as it may have.
    #[error("the workspace has {most} mirrors")]
    TooManyMirrors { most: u64 },
    /// The workspace has as many as it may have.
    #[error("the workspace has {most} connections")]
    TooMany { most: u64 },
    /// Its address cannot be one, or nobody may be sent there.
    #[error("the address {0}")]
    BadAddress(String),
    /// Between the token and the row lay more time than the outbox waits.
    #[error("the connection took too long to be made")]
    TooSlow,
    /// The broker did not take the token.
    #[error("the secret broker did not take the token")]
    Broker(#[from] BrokerError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
