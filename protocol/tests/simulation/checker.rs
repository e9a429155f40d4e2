//! The invariants after every step, from outside: what callers received and what machines really did.
use std::collections::{BTreeMap, BTreeSet};

use roost_protocol::ids::{ConnectionEpoch, OperationId, SandboxId};
use roost_protocol::report::{Ended, ErrorKind, Outcome, Terminal};

/// All observations, and the first broken promise.
#[derive(Debug, Default)]
pub struct Checker {
    pub violation: Option<String>,
    ends: BTreeMap<OperationId, Ended>,
    /// How often a command was started in a guest, or a sandbox was made for a provision without an end.
    starts: BTreeMap<OperationId, u32>,
    /// Operations whose end is in a node's ledger.
    over: BTreeMap<OperationId, Terminal>,
    sent_on: BTreeSet<(OperationId, ConnectionEpoch)>,
    handled: BTreeMap<(usize, ConnectionEpoch, bool), u64>,
    /// What the reader of an operation has, and where output is really lost.
    read_to: BTreeMap<OperationId, u64>,
    gone: BTreeMap<OperationId, Vec<(u64, u64)>>,
    stdin_to: BTreeMap<OperationId, u64>,
}

/// The byte that a command writes at an offset: one value per 4 KiB, so that large pieces are compared quickly.
pub fn byte_at(operation: OperationId, offset: u64) -> u8 {
    let mixed =
        (operation.0.as_u128() as u64 ^ (offset / 4096)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as u8
}

/// Output from an offset on.
pub fn bytes_at(operation: OperationId, offset: u64, len: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(usize::try_from(len).expect("small"));
    let mut at = offset;
    while at < offset + len {
        let block_end = ((at / 4096 + 1) * 4096).min(offset + len);
        out.resize(
            out.len() + usize::try_from(block_end - at).expect("small"),
            byte_at(operation, at),
        );
        at = block_end;
    }
    out
}

impl Checker {
    pub fn broken(&mut self, what: String) {
        self.violation.get_or_insert(what);
    }

    /// The caller received the end of an operation.
    pub fn end_reported(&mut self, operation: OperationId, ended: &Ended, node_deleted: bool) {
        if let Some(first) = self.ends.get(&operation) {
            let first = first.state;
            self.broken(format!(
                "P1: {operation} ended as {first:?} and again as {:?}",
                ended.state
            ));
        }
        if ended.state == Terminal::Lost && !node_deleted && self.over_otherwise(operation) {
            self.broken(format!(
                "P1: {operation} was reported as lost, but its node has its end"
            ));
        }
        self.ends.insert(operation, ended.clone());
        self.truth(operation);
    }

    /// An end that reports that nothing ran must stay true.
    fn truth(&mut self, operation: OperationId) {
        let Some(ended) = self.ends.get(&operation) else {
            return;
        };
        let nothing_ran = match &ended.outcome {
            Outcome::Error { error } => {
                matches!(
                    error.kind,
                    ErrorKind::Draining
                        | ErrorKind::DiskFull
                        | ErrorKind::Busy
                        | ErrorKind::NoSandbox
                ) || error.detail.contains("nothing ran")
            }
            _ => false,
        };
        let starts = self.starts.get(&operation).copied().unwrap_or(0);
        if nothing_ran && starts > 0 {
            let state = ended.state;
            self.broken(format!(
                "P1: {operation} was reported as {state:?} with nothing run, but it ran"
            ));
        }
    }

    /// The gateway sent a request.
    pub fn sent(&mut self, operation: OperationId, epoch: ConnectionEpoch) {
        if !self.sent_on.insert((operation, epoch)) {
            self.broken(format!(
                "P1: {operation} was sent twice on the connection {epoch}"
            ));
        }
    }

    /// A command was started in a guest.
    pub fn started(&mut self, operation: OperationId) {
        let starts = self.starts.entry(operation).or_insert(0);
        *starts += 1;
        if *starts > 1 {
            self.broken(format!("P2: {operation} was started twice"));
        }
        if self.over.contains_key(&operation) {
            self.broken(format!("P2: {operation} was started after its end"));
        }
        self.truth(operation);
    }

    /// A sandbox was made. It may be made again when the first one was lost with its machine, but not after the end.
    pub fn made(&mut self, operation: OperationId) {
        *self.starts.entry(operation).or_insert(0) += 1;
        if self.over.contains_key(&operation) {
            self.broken(format!("P2: {operation} made a sandbox after its end"));
        }
        self.truth(operation);
    }

    /// The node's ledger holds the end.
    pub fn recorded_end(&mut self, operation: OperationId, state: Terminal) {
        self.over.entry(operation).or_insert(state);
    }

    fn over_otherwise(&self, operation: OperationId) -> bool {
        self.over
            .get(&operation)
            .is_some_and(|state| *state != Terminal::Lost)
    }

    /// One end handles a frame.
    pub fn handled(
        &mut self,
        node: usize,
        at_gateway: bool,
        newest: ConnectionEpoch,
        own: ConnectionEpoch,
        frame: (ConnectionEpoch, u64),
    ) {
        let side = if at_gateway { "gateway" } else { "node" };
        if own != newest {
            self.broken(format!("P6: the {side} handled a frame on the connection {own} of node {node}, the newest is {newest}"));
        }
        if frame.0 != own {
            self.broken(format!(
                "P6: the {side} handled a frame of epoch {} on the connection {own} of node {node}",
                frame.0
            ));
        }
        let next = self
            .handled
            .entry((node, own, at_gateway))
            .or_insert(frame.1);
        if *next != frame.1 {
            let expected = *next;
            self.broken(format!(
                "P6: the {side} handled sequence {} of node {node} where {expected} was due",
                frame.1
            ));
        }
        self.handled.insert((node, own, at_gateway), frame.1 + 1);
    }

    /// The reader of an operation receives bytes.
    pub fn read(&mut self, operation: OperationId, offset: u64, data: &[u8]) {
        let at = self.read_to.entry(operation).or_insert(0);
        if *at != offset {
            let at = *at;
            self.broken(format!(
                "P3: the reader of {operation} is at {at} and got bytes at {offset}"
            ));
        }
        if data != bytes_at(operation, offset, data.len() as u64) {
            self.broken(format!(
                "P3: the reader of {operation} got other bytes than were written at {offset}"
            ));
        }
        self.read_to.insert(operation, offset + data.len() as u64);
    }

    /// The reader of an operation receives a mark for lost bytes.
    pub fn gap(&mut self, operation: OperationId, from: u64, to: u64) {
        let at = self.read_to.get(&operation).copied().unwrap_or(0);
        let none = Vec::new();
        let gone = self.gone.get(&operation).unwrap_or(&none);
        let mut covered = from;
        while let Some((_, end)) = gone
            .iter()
            .find(|(start, end)| *start <= covered && covered < *end)
        {
            covered = *end;
        }
        if at != from || covered < to {
            self.broken(format!(
                "P3: a gap {from}..{to} of {operation} was shown at {at}; gone are {gone:?}"
            ));
        }
        self.read_to.insert(operation, to);
    }

    /// The gateway lost output that its reader had not stored: the reader starts there again.
    pub fn reader_restarts(&mut self, operation: OperationId, at: u64) {
        self.read_to.insert(operation, at);
    }

    /// Output between these offsets is really lost on the node.
    pub fn gone(&mut self, operation: OperationId, from: u64, to: u64) {
        self.gone.entry(operation).or_default().push((from, to));
    }

    /// The bytes that wait for a reader.
    pub fn waiting(&mut self, operation: OperationId, waiting: u64, window: u64) {
        if waiting > window {
            self.broken(format!("P3: {waiting} bytes wait for the reader of {operation}, over its window of {window}"));
        }
    }

    /// A command receives stdin.
    pub fn stdin(&mut self, operation: OperationId, offset: u64, len: u64) {
        let at = self.stdin_to.entry(operation).or_insert(0);
        if *at != offset {
            let at = *at;
            self.broken(format!(
                "P3: the command {operation} has read stdin to {at} and got bytes at {offset}"
            ));
        }
        self.stdin_to.insert(operation, offset + len);
    }

    /// The gateway reports a node as drained.
    pub fn drained(&mut self, node: usize, sandboxes: usize) {
        if sandboxes > 0 {
            self.broken(format!(
                "P7: node {node} is called drained and holds {sandboxes} sandboxes"
            ));
        }
    }

    /// The gateway places a new sandbox on a node, or a node accepts one.
    pub fn placed(&mut self, node: usize, draining: bool) {
        if draining {
            self.broken(format!("P7: node {node} drains and got a new sandbox"));
        }
    }

    /// A node ended a sandbox because of its lease.
    pub fn lease_over(&mut self, sandbox: SandboxId, unused_ms: u64, lease_ms: u64) {
        if unused_ms < lease_ms {
            self.broken(format!(
                "P8: {sandbox} was ended after {unused_ms} ms without use, its lease is {lease_ms}"
            ));
        }
    }

    /// A node removed a sandbox as an orphan.
    pub fn orphan(&mut self, sandbox: SandboxId, wanted: bool) {
        if wanted {
            self.broken(format!(
                "P8: {sandbox} was removed as an orphan and the gateway wants it"
            ));
        }
    }

    /// At the very end: the requested output arrived at its reader.
    pub fn served(&mut self, operation: OperationId, complete: bool, next: u64) {
        if !complete {
            self.broken(format!("P3: the reader of {operation} waits at {next}"));
        }
    }

    /// At the very end: every operation ended, and its reader has the output.
    pub fn settled(&mut self, operation: OperationId, stored_to: u64, node_deleted: bool) {
        match self.ends.get(&operation) {
            None => self.broken(format!("P1: {operation} never ended")),
            Some(ended) if !node_deleted && stored_to < ended.output_end => {
                let end = ended.output_end;
                self.broken(format!(
                    "P3: {operation} wrote {end} bytes, its reader got {stored_to}"
                ));
            }
            Some(_) => {}
        }
    }
}
