//! What can go wrong with the models of a workspace.

use crate::broker::BrokerError;

/// Errors of models.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// There is none of that id.
    #[error("there is no such model")]
    None,
    /// Its address cannot be one, or nobody may be sent there.
    #[error("the address {0}")]
    BadAddress(String),
    /// There is one of that name.
    #[error("there is already a model {name}")]
    Taken { name: String },
    /// No more fit.
    #[error("the workspace has {most} models, the most that it may have")]
    TooMany { most: u64 },
    /// An agent names a model that the workspace does not have.
    #[error(
        "the agent thinks with {name}, and the workspace has no such model; add it, or choose another for the agent"
    )]
    NotBound { name: String },
    /// Between the key and the row lay more time than the outbox waits.
    #[error("the model took too long to be added")]
    TooSlow,
    /// The broker did not take the key.
    #[error("the secret broker did not take the key")]
    Broker(#[from] BrokerError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
