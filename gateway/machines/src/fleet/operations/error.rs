//! Why an operation was not accepted, or why a question about one has no answer.

use roost_protocol::machine::admission::{Scope, TooMany};
use roost_protocol::validate::Invalid;

use roost_platform::ids::{NodeId, OperationId};
use roost_platform::supervision::NoAnswer;
use roost_web::error::{ApiError, Code};

/// Errors of the caller's side. An operation that was accepted never ends with one of these: it ends in its state.
#[derive(Debug, thiserror::Error)]
pub enum OperationsError {
    /// No paired machine has this id.
    #[error("no machine {0} is paired")]
    UnknownNode(NodeId),
    /// The machine is not connected, or has been silent for too long.
    #[error("the machine {0} is not connected")]
    NodeOffline(NodeId),
    /// The machine takes no new sandboxes.
    #[error("the machine {0} is draining")]
    NodeDraining(NodeId),
    /// The machine's daemon does not know this operation.
    #[error("the daemon of machine {0} is too old for this; update it")]
    NodeTooOld(NodeId),
    /// Another gateway holds the machine's connection.
    #[error("another gateway holds the connection of machine {0}")]
    HeldElsewhere(NodeId),
    /// The gateway's own engine is switched off.
    #[error("sandboxes on the gateway's own host are switched off (`sandboxes.local`)")]
    LocalOff,
    /// The operation is unknown.
    #[error("no operation {0}")]
    UnknownOperation(OperationId),
    /// The operation has ended; it accepts no more input.
    #[error("the operation {0} has ended")]
    Over(OperationId),
    /// The request itself is wrong.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The machine has the most operations that it may have.
    #[error("{most} operations are under way there; try again when some have ended")]
    Busy {
        /// The limit.
        most: usize,
    },
    /// The most commands that may run there are running.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// Stdin must continue at the expected offset.
    #[error("stdin is at offset {expected}; continue there")]
    StdinOffset {
        /// The offset that is expected.
        expected: u64,
    },
    /// The actor did not answer.
    #[error("no answer from the machine's actor")]
    NoAnswer(#[from] NoAnswer),
    /// The machine did not answer in time. The operation continues, and its state can be read later.
    #[error("no answer within {within:?}; operation {id} continues")]
    TooSlow {
        /// The operation that still runs.
        id: OperationId,
        /// How long the caller waited.
        within: std::time::Duration,
    },
    /// The store failed.
    #[error("the store failed")]
    Db(#[from] sea_orm::DbErr),
}

impl From<OperationsError> for ApiError {
    fn from(error: OperationsError) -> Self {
        use OperationsError as E;
        match error {
            E::UnknownNode(_) => Self::not_found("node"),
            E::UnknownOperation(_) => Self::not_found("operation"),
            E::NodeOffline(_) => Self::new(Code::NodeOffline).detail(
                "The machine is not connected. See that it is on and that `roostd` runs there, then try again.",
            ),
            E::NodeDraining(_) => Self::new(Code::NodeDraining)
                .detail("The machine is draining and takes no new sandboxes; undrain it or choose another."),
            E::NodeTooOld(_) => Self::new(Code::Conflict).detail(
                "The daemon on this machine is too old for this. Install the present `roostd` there, then try again.",
            ),
            E::HeldElsewhere(_) => Self::new(Code::NodeHeldElsewhere)
                .detail("Another gateway holds this machine's connection; try again.")
                .retry_after(1),
            E::LocalOff => Self::new(Code::EngineUnavailable).detail(
                "Sandboxes on the gateway's own host are switched off (`sandboxes.local`); choose a machine.",
            ),
            E::Over(_) => Self::new(Code::Conflict)
                .detail("The operation has ended; nothing can be said to it any more."),
            E::Invalid(invalid) => invalid.into(),
            E::TooMany(full) => too_many(full),
            E::Busy { most } => Self::new(Code::Unavailable)
                .detail(format!("{most} operations are under way there; try again when some have ended."))
                .retry_after(1),
            E::StdinOffset { expected } => Self::new(Code::Conflict)
                .detail(format!("Stdin stands at offset {expected}; continue there.")),
            E::TooSlow { ref id, .. } => {
                let detail = format!("The machine did not answer in time; operation {id} goes on.");
                Self::new(Code::NoAnswer).detail(detail).caused_by(error)
            }
            E::NoAnswer(_) => Self::new(Code::NoAnswer).caused_by(error),
            E::Db(error) => error.into(),
        }
    }
}

/// Seconds after which the client may try one more command.
const NO_TURN_S: u64 = 1;

fn too_many(full: TooMany) -> ApiError {
    let code = match full.scope {
        Scope::Sandbox | Scope::Workspace => Code::TooManyCommands,
        // Not the caller's fault: others use the machine.
        Scope::Machine => Code::Unavailable,
    };
    ApiError::new(code)
        .detail(format!("{full}."))
        .retry_after(NO_TURN_S)
}
