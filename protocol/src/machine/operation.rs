//! An operation as its caller (the gateway) sees it. Promise P1: it ends in exactly one terminal state.
//!
//! ```text
//!              Send                accepted/progress
//!  Requested ────────▶ Sent ─────────────────────────▶ Accepted
//!      │ cancel          │ ended · cancelled and never seen   │ ended · never seen (lost)
//!      ▼                 ▼                                    ▼
//!    Ended ◀─────────────┴────────────────────────────────────┘   [node deleted: from anywhere]
//! ```
//!
//! After [`Output::Send`] is returned, the frame may be on the wire. So there is no input for "was sent", and a stored
//! `Requested` is restored as `Sent`. Sending again is safe because a node starts an id once (promise P2); it happens
//! at most once per connection. `Lost` is decided here only when the node reports on this connection that it does not
//! know an operation that it had accepted, or when the node was deleted.
use serde::{Deserialize, Serialize};

use crate::inventory::LedgerEntry;
use crate::report::{Ended, ErrorKind, Report, Terminal};

/// The stage of an operation. The gateway stores it together with the wish to cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Recorded; not sent yet.
    Requested,
    /// May have reached the node.
    Sent,
    /// The node's ledger holds it.
    Accepted,
    /// Over. This never changes again.
    Ended(Terminal),
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A connection of the node is open. `listed` is the entry of this id in the inventory of its `hello`. It is `None`
    /// for an operation that was requested while the connection was already open.
    Connected { listed: Option<&'a LedgerEntry> },
    /// The connection is gone.
    Disconnected,
    /// The node reported on the present connection.
    Report(&'a Report),
    /// Output up to this offset is stored, or nobody needs it (`u64::MAX`).
    OutputStored { up_to: u64 },
    /// The caller wants to stop it.
    Cancel,
    /// The node was deleted and will not return.
    NodeDeleted,
}

/// Effects to carry out in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Send the request (again).
    Send,
    /// Send the control frame `cancel`.
    Cancel,
    /// Put this id into `reconcile.waiting`, so that the node answers with its present state.
    Reconcile,
    /// Publish the progress.
    Progress(String),
    /// Store the end and report it to the caller; returned exactly once. The end must be stored before a following
    /// `Ack` is sent.
    End(Ended),
    /// Send the control frame `ack`.
    Ack,
}

/// The caller's side of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    stage: Stage,
    cancelling: bool,
    connected: bool,
    /// A reconcile on this connection is not answered yet.
    asked: bool,
    /// Offset after the last byte of output, known at the end.
    output_end: u64,
    stored_to: u64,
    /// The node holds the end and waits for the ack.
    ack_due: bool,
}

impl Default for Caller {
    fn default() -> Self {
        Self::new()
    }
}

impl Caller {
    /// A new operation, recorded and not sent.
    pub fn new() -> Self {
        Self {
            stage: Stage::Requested,
            cancelling: false,
            connected: false,
            asked: false,
            output_end: 0,
            stored_to: 0,
            ack_due: false,
        }
    }

    /// An operation of an earlier gateway process, from its row. `stage` may be outdated (except the end, which is
    /// stored before it is reported), so an operation stored as `Requested` may have been sent. `cancelling` is stored
    /// before the cancel is sent.
    pub fn restore(stage: Stage, cancelling: bool) -> Self {
        let stage = match stage {
            Stage::Requested => Stage::Sent,
            other => other,
        };
        Self {
            stage,
            cancelling,
            ..Self::new()
        }
    }

    /// For a restored operation: where its output ends (0 before its end), and up to where it is stored, or `u64::MAX`
    /// when nobody needs more of it.
    pub fn with_output(mut self, output_end: u64, stored_to: u64) -> Self {
        self.output_end = output_end;
        self.stored_to = stored_to;
        self
    }

    /// The present stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether a cancel was requested.
    pub fn cancelling(&self) -> bool {
        self.cancelling
    }

    /// Whether it is over.
    pub fn is_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended(_))
    }

    /// Whether nothing is left to do: it is over and all of its output is stored.
    pub fn is_settled(&self) -> bool {
        self.is_ended() && self.stored_to >= self.output_end
    }

    /// Handles an input; returns the effects.
    pub fn step(&mut self, input: Input<'_>) -> Vec<Output> {
        match input {
            Input::Connected { listed } => self.connected(listed),
            Input::Disconnected => {
                self.connected = false;
                self.asked = false;
                self.ack_due = false;
                Vec::new()
            }
            Input::Report(report) => self.report(report),
            Input::OutputStored { up_to } => {
                self.stored_to = self.stored_to.max(up_to);
                self.ack().into_iter().collect()
            }
            Input::Cancel => self.cancel(),
            Input::NodeDeleted => self.node_deleted(),
        }
    }

    fn connected(&mut self, listed: Option<&LedgerEntry>) -> Vec<Output> {
        self.connected = true;
        self.asked = false;
        self.ack_due = false;
        if let Some(entry) = listed {
            if let Some(ended) = &entry.ended {
                return self.ended(ended);
            }
            if self.is_ended() {
                // The gateway ended it without the node (deleted or lost), and it runs after all: stop it.
                return vec![Output::Cancel];
            }
            self.stage = Stage::Accepted;
            return if self.cancelling {
                vec![Output::Cancel]
            } else {
                Vec::new()
            };
        }
        match self.stage {
            Stage::Requested | Stage::Sent if !self.cancelling => {
                self.stage = Stage::Sent;
                vec![Output::Send]
            }
            // An inventory is bounded, so absence is a reason to query, not an answer.
            Stage::Requested | Stage::Sent | Stage::Accepted => {
                self.asked = true;
                vec![Output::Reconcile]
            }
            Stage::Ended(_) => Vec::new(),
        }
    }

    fn report(&mut self, report: &Report) -> Vec<Output> {
        match report {
            Report::Accepted => {
                self.asked = false;
                let first = matches!(self.stage, Stage::Requested | Stage::Sent);
                if first {
                    self.stage = Stage::Accepted;
                }
                Vec::new()
            }
            Report::Progress { detail } if !self.is_ended() => {
                self.stage = Stage::Accepted;
                vec![Output::Progress(detail.clone())]
            }
            Report::Ended(ended) => self.ended(ended),
            Report::NeverSeen if self.asked => self.never_seen(),
            Report::Progress { .. } | Report::NeverSeen | Report::Unknown => Vec::new(),
        }
    }

    fn ended(&mut self, ended: &Ended) -> Vec<Output> {
        let mut out = Vec::new();
        self.asked = false;
        if !self.is_ended() {
            out.push(self.end(ended.clone()));
        }
        self.output_end = ended.output_end;
        self.ack_due = true;
        out.extend(self.ack());
        out
    }

    fn never_seen(&mut self) -> Vec<Output> {
        self.asked = false;
        match self.stage {
            Stage::Accepted => {
                let detail = "the machine no longer knows this operation; it may have run";
                vec![self.end(Ended::without_result(
                    Terminal::Lost,
                    ErrorKind::Interrupted,
                    detail,
                ))]
            }
            // It did not arrive and is never sent again.
            Stage::Requested | Stage::Sent if self.cancelling => {
                let detail = "cancelled before the machine saw it; nothing ran";
                vec![self.end(Ended::without_result(
                    Terminal::Cancelled,
                    ErrorKind::Cancelled,
                    detail,
                ))]
            }
            Stage::Requested | Stage::Sent | Stage::Ended(_) => Vec::new(),
        }
    }

    fn cancel(&mut self) -> Vec<Output> {
        if self.is_ended() || self.cancelling {
            return Vec::new();
        }
        self.cancelling = true;
        if self.stage == Stage::Requested {
            let detail = "cancelled before it was sent; nothing ran";
            return vec![self.end(Ended::without_result(
                Terminal::Cancelled,
                ErrorKind::Cancelled,
                detail,
            ))];
        }
        if self.connected {
            vec![Output::Cancel]
        } else {
            Vec::new()
        }
    }

    fn node_deleted(&mut self) -> Vec<Output> {
        self.connected = false;
        self.asked = false;
        match self.stage {
            Stage::Requested => {
                let detail = "the machine was removed before it was sent; nothing ran";
                vec![self.end(Ended::without_result(
                    Terminal::Failed,
                    ErrorKind::Interrupted,
                    detail,
                ))]
            }
            Stage::Sent | Stage::Accepted => {
                let detail = "the machine was removed; it may have run";
                vec![self.end(Ended::without_result(
                    Terminal::Lost,
                    ErrorKind::Interrupted,
                    detail,
                ))]
            }
            Stage::Ended(_) => Vec::new(),
        }
    }

    fn end(&mut self, ended: Ended) -> Output {
        self.stage = Stage::Ended(ended.state);
        Output::End(ended)
    }

    fn ack(&mut self) -> Option<Output> {
        let due = self.ack_due && self.connected && self.stored_to >= self.output_end;
        self.ack_due &= !due;
        due.then_some(Output::Ack)
    }
}
