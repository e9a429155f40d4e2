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
    /// The workspace has as many as it may have.
    #[error("the workspace has {most} connections")]
    TooMany { most: u64 },
    /// The broker did not take the token.
    #[error("the secret broker did not take the token")]
    Broker(#[from] BrokerError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
