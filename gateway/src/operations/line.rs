//! The line to the actor that is in charge of one engine: a node's, or the local one.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use roost_protocol::operation::{OperationRequest, TtySize};
use tokio::sync::oneshot;

use super::error::OperationsError;
use super::model::OperationRef;
use crate::ids::{OperationId, SandboxId};
use crate::supervision::{NoAnswer, Reply};

/// How long an actor may take to answer. It never waits for a machine before it does, but for stdin.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// What can be asked of an engine's actor.
#[derive(Debug)]
pub enum EngineCall {
    /// Write it down and send it.
    Submit(
        Box<OperationRequest>,
        Reply<Result<OperationRef, OperationsError>>,
    ),
    /// Stop it.
    Cancel(OperationId, Reply<Result<(), OperationsError>>),
    /// Bytes for its stdin; answered when the machine has taken them, with the offset after them.
    Stdin {
        id: OperationId,
        offset: u64,
        data: Bytes,
        eof: bool,
        reply: Reply<Result<u64, OperationsError>>,
    },
    /// Its terminal has another size.
    Resize(OperationId, TtySize, Reply<Result<(), OperationsError>>),
    /// These sandboxes are in use.
    Lease(Vec<SandboxId>, u64),
    /// These sandboxes should exist; others of ours that are older than the grace (seconds) should not.
    Reconcile {
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
    },
    /// A reader wants something: see to credit and replay.
    Nudge(OperationId),
}

/// Where calls to one engine go. Cheap to clone, good across restarts.
#[derive(Clone)]
pub struct Line {
    post: Arc<dyn Fn(EngineCall) -> Result<(), NoAnswer> + Send + Sync>,
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Line")
    }
}

impl Line {
    /// A line that ends in `post`.
    pub fn new(post: impl Fn(EngineCall) -> Result<(), NoAnswer> + Send + Sync + 'static) -> Self {
        Self {
            post: Arc::new(post),
        }
    }

    /// Says something without waiting.
    pub(super) fn post(&self, call: EngineCall) -> Result<(), NoAnswer> {
        (self.post)(call)
    }

    /// Asks and waits for the answer, at most `within`.
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
