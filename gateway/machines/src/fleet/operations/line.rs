//! The line to the actor of one engine: a node's, or the local one.

use std::time::Duration;

use bytes::Bytes;
use roost_protocol::control::Kept;
use roost_protocol::operation::TtySize;
use tokio::sync::oneshot;

use super::error::OperationsError;
use super::model::OperationRef;
use super::submission::Submission;
use crate::fleet::local::LocalMsg;
use crate::fleet::node::NodeMsg;
use roost_platform::ids::{OperationId, SandboxId, SandboxOwnerId};
use roost_platform::supervision::{Address, NoAnswer, Reply};

/// How long an actor may take to answer. It does not wait for a machine first, except for stdin.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The calls to an engine's actor.
#[derive(Debug)]
pub(in crate::fleet) enum EngineCall {
    /// Store it and send it.
    Submit(
        Box<Submission>,
        Reply<Result<OperationRef, OperationsError>>,
    ),
    /// Cancel it.
    Cancel(OperationId, Reply<Result<(), OperationsError>>),
    /// Bytes for its stdin. The actor answers when the machine has taken them, with the offset after them.
    Stdin {
        id: OperationId,
        offset: u64,
        data: Bytes,
        eof: bool,
        reply: Reply<Result<u64, OperationsError>>,
    },
    /// Its terminal has a new size.
    Resize(OperationId, TtySize, Reply<Result<(), OperationsError>>),
    /// These sandboxes are in use.
    Lease(Vec<SandboxId>, u64),
    /// These sandboxes should exist; our others that are older than the grace (seconds) should not.
    Reconcile {
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
        /// The agents whose stored workspaces may stay there; absent changes nothing.
        kept: Option<Kept>,
    },
    /// An owner was removed: the engine removes its stored workspaces, and with `results` its operations.
    Forget {
        owner: SandboxOwnerId,
        archives: Vec<String>,
        results: bool,
    },
    /// A reader needs something: check credit and replay.
    Nudge(OperationId),
    /// Whether output can be requested here. It cannot while another gateway holds the machine.
    Reach(Reply<Result<(), OperationsError>>),
}

/// The way to one engine's actor. Cheap to clone; it survives restarts.
#[derive(Debug, Clone)]
pub(in crate::fleet) enum Line {
    Node(Address<NodeMsg>),
    Local(Address<LocalMsg>),
}

impl Line {
    /// Sends a call without waiting.
    pub(super) fn post(&self, call: EngineCall) -> Result<(), NoAnswer> {
        match self {
            Self::Node(actor) => actor.cast(NodeMsg::Engine(call)),
            Self::Local(actor) => actor.cast(LocalMsg::Engine(call)),
        }
    }

    /// Sends a call and waits for the answer, at most `within`.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        within: Duration,
        call: impl FnOnce(Reply<Result<T, OperationsError>>) -> EngineCall,
    ) -> Result<T, OperationsError> {
        let (reply, answer): (_, oneshot::Receiver<Result<T, OperationsError>>) = Reply::channel();
        self.post(call(reply))?;
        let path = || "the engine's actor".to_owned();
        match tokio::time::timeout(within, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(NoAnswer::Died { path: path() }.into()),
            Err(_) => Err(NoAnswer::Timeout {
                path: path(),
                within,
            }
            .into()),
        }
    }
}
