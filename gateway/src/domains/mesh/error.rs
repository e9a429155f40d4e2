//! What can go wrong with a mesh network.

use super::model::Refusal;
use crate::broker::BrokerError;

/// Errors of mesh networks.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The workspace has none.
    #[error("the workspace has no mesh network")]
    None,
    /// Its address cannot be one, or nobody may be sent there.
    #[error("the address {0}")]
    BadAddress(String),
    /// Between the key and the row lay more time than the outbox waits.
    #[error("the network took too long to be connected")]
    TooSlow,
    /// The list of devices could not be read.
    #[error("{0}")]
    Refused(Refusal),
    /// The broker did not take the key.
    #[error("the secret broker did not take the key")]
    Broker(#[from] BrokerError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
