//! A fixed program in a sandbox: its input is streamed to it, and its output is collected.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use roost_protocol::operation::Purpose;
use roost_protocol::output::StreamName;
use roost_protocol::report::{ErrorKind, Outcome};
use serde_json::Value;

use super::model::said;
use super::{CheckoutError, CheckoutsContext};
use roost_machines::fleet::operations::{OutputItem, Part};
use roost_machines::sandboxes::{self, NewExec, SandboxOwner, Starter, Worker};
use roost_platform::events::About;
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

pub(super) const CHECK_OUT: &str = include_str!("scripts/check_out.py");
pub(super) const SUPPLY: &str = include_str!("scripts/supply.py");
pub(super) const PYTHON: &str = include_str!("scripts/python.py");
pub(super) const READ_LOCK: &str = include_str!("scripts/read_lock.py");
pub(super) const OFFER: &str = include_str!("scripts/offer.py");
/// The deadline of a program in the sandbox, seconds.
const DEADLINE_S: u64 = 600;
/// How much longer the gateway waits for its end.
const GRACE: Duration = Duration::from_secs(30);
/// The exit code with which a program refuses. Its output is the reason.
const REFUSED: i32 = 64;
/// Most bytes of error output that are kept.
const MOST_COMPLAINT: usize = 4096;

/// Where a program runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub scope: WorkspaceScope,
    /// The owner of the sandbox.
    pub owner: SandboxOwner,
    pub about: About,
}

/// A program that was started.
pub(super) struct Program<'a> {
    state: &'a CheckoutsContext,
    target: Target,
    id: OperationId,
    sent: u64,
}

impl<'a> Program<'a> {
    /// Starts the script with its request as the only argument.
    pub(super) async fn start(
        state: &'a CheckoutsContext,
        target: Target,
        purpose: (&str, &str),
        script: &str,
        asked: &Value,
    ) -> Result<Self, CheckoutError> {
        let argv = ["python3", "-I", "-S", "-c", script, &asked.to_string()];
        let wanted = NewExec {
            argv: argv.map(str::to_owned).to_vec(),
            cwd: Some("/".to_owned()),
            env: BTreeMap::new(),
            stdin: None,
            tty: None,
            deadline_s: Some(DEADLINE_S),
            purpose: Some(Purpose::new(purpose.0, Some(purpose.1))),
            worker: Worker::default(),
        };
        let Target {
            scope,
            owner,
            about,
        } = target;
        let (id, starter) = (OperationId(state.ids.next()), Starter::Agent(about));
        let id = sandboxes::exec(&state.sandboxes, scope, owner, id, wanted, true, starter).await?;
        Ok(Self {
            state,
            target,
            id,
            sent: 0,
        })
    }

    /// Sends a piece of its input; returns whether it still reads.
    pub(super) async fn send(&mut self, piece: Bytes) -> bool {
        let length = piece.len() as u64;
        let taken = self.stdin(piece, false).await;
        self.sent += length;
        taken
    }

    async fn stdin(&self, piece: Bytes, eof: bool) -> bool {
        let Target { scope, owner, .. } = self.target;
        let sandboxes = &self.state.sandboxes;
        let sent = sandboxes::stdin(sandboxes, scope, owner, self.id, self.sent, piece, eof);
        // The end of the program says why it does not read.
        sent.await.is_ok()
    }

    /// Ends it, because its input is not whole.
    pub(super) async fn stop(self) {
        let Target { scope, owner, .. } = self.target;
        let stopped = sandboxes::cancel(&self.state.sandboxes, scope, owner, self.id).await;
        if let Err(error) = stopped {
            let error: &dyn std::error::Error = &error;
            tracing::info!(error, operation = %self.id, "the gateway cannot stop a checkout; it ends at its deadline");
        }
    }

    /// Ends its input and returns its output, up to `most` bytes.
    pub(super) async fn finish(self, most: usize) -> Result<Vec<u8>, CheckoutError> {
        self.stdin(Bytes::new(), true).await;
        let whole = Duration::from_secs(DEADLINE_S) + GRACE;
        match tokio::time::timeout(whole, self.followed(most)).await {
            Ok(done) => done,
            Err(_) => Err(CheckoutError::Lost("it took too long".to_owned())),
        }
    }

    async fn followed(&self, most: usize) -> Result<Vec<u8>, CheckoutError> {
        let Target { scope, owner, .. } = self.target;
        let sandboxes = &self.state.sandboxes;
        let mut stream = sandboxes::output(sandboxes, scope, owner, self.id, 0).await?;
        let (mut output, mut complaint, mut is_whole) = (Vec::new(), Vec::new(), true);
        loop {
            match stream.next().await {
                Some(OutputItem::Part(Part::Gap { .. })) => is_whole = false,
                Some(OutputItem::Part(Part::Data { stream, data, .. })) => {
                    let (into, most) = match stream {
                        StreamName::Stdout => (&mut output, most),
                        StreamName::Stderr => (&mut complaint, MOST_COMPLAINT),
                    };
                    let room = most.saturating_sub(into.len());
                    is_whole &= stream == StreamName::Stderr || data.len() <= room;
                    into.extend_from_slice(&data[..data.len().min(room)]);
                }
                Some(OutputItem::Ended(ended)) => {
                    is_whole &= ended.output_dropped == 0;
                    return ended_as(&ended.outcome, output, &complaint, is_whole);
                }
                None => {
                    let moved = "another gateway took its machine over";
                    return Err(CheckoutError::Lost(moved.to_owned()));
                }
            }
        }
    }
}

fn ended_as(
    outcome: &Outcome,
    output: Vec<u8>,
    complaint: &[u8],
    is_whole: bool,
) -> Result<Vec<u8>, CheckoutError> {
    match outcome {
        Outcome::Exited { code: 0 } if is_whole => Ok(output),
        Outcome::Exited { code: 0 } => Err(CheckoutError::Lost(
            "a part of its answer is missing".to_owned(),
        )),
        Outcome::Exited { code: REFUSED } => Err(CheckoutError::Guest(said(&output))),
        Outcome::Exited { code } => Err(CheckoutError::Guest(format!(
            "the program in the sandbox ended with {code}: {}",
            said(complaint)
        ))),
        Outcome::Error { error } if error.kind == ErrorKind::NotStarted => {
            Err(CheckoutError::Guest(format!(
                "the image of the sandbox has no python3, which a checkout needs ({}); choose an image with python3 and \
                 git",
                said(error.detail.as_bytes())
            )))
        }
        Outcome::Error { error } => Err(CheckoutError::Lost(said(error.detail.as_bytes()))),
        _ => Err(CheckoutError::Lost("it did not run".to_owned())),
    }
}
