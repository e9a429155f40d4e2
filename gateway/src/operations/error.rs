//! Why an operation was not taken, or an answer about one cannot be given.

use roost_protocol::validate::Invalid;

use crate::ids::{NodeId, OperationId};
use crate::supervision::NoAnswer;

/// Failures of the caller's side. An operation that was taken never ends in one of these: it ends in its state.
#[derive(Debug, thiserror::Error)]
pub enum OperationsError {
    /// No such machine is paired.
    #[error("no machine {0} is paired")]
    UnknownNode(NodeId),
    /// The machine is not connected, or is not heard of just now.
    #[error("the machine {0} is not connected")]
    NodeOffline(NodeId),
    /// The machine takes no new sandboxes.
    #[error("the machine {0} is draining")]
    NodeDraining(NodeId),
    /// Another gateway holds the machine's connection.
    #[error("another gateway holds the connection of machine {0}")]
    HeldElsewhere(NodeId),
    /// The gateway's own engine is switched off.
    #[error("sandboxes on the gateway's own host are switched off (`sandboxes.local`)")]
    LocalOff,
    /// Nothing is known of this operation.
    #[error("no operation {0}")]
    UnknownOperation(OperationId),
    /// It ended; nothing can be said to it any more.
    #[error("the operation {0} has ended")]
    Over(OperationId),
    /// The request itself is wrong.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// So many operations are under way there that no more is taken.
    #[error("{most} operations are under way there; try again when some have ended")]
    Busy {
        /// The bound.
        most: usize,
    },
    /// Stdin must go on where it stands.
    #[error("stdin stands at offset {expected}; continue there")]
    StdinOffset {
        /// The offset that is expected.
        expected: u64,
    },
    /// The actor in charge did not answer.
    #[error("no answer from the machine's actor")]
    NoAnswer(#[from] NoAnswer),
    /// The machine did not answer in time; the operation goes on and can be asked for.
    #[error("no answer within {within:?}; operation {id} goes on")]
    TooSlow {
        /// What still runs.
        id: OperationId,
        /// How long we waited.
        within: std::time::Duration,
    },
    /// The store failed.
    #[error("the store failed")]
    Db(#[from] sea_orm::DbErr),
}
