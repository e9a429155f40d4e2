//! Frames of one connection: epoch and sequence. Promise P6: an older epoch can neither receive nor report.
//!
//! ```text
//!  gateway   Opening ──hello (epoch 0, seq 0)──▶ Open(epoch) ──foreign epoch · missing seq──▶ Closed
//!  node      Opening ──welcome (epoch E, seq 0)─▶ Open(E)    ──foreign epoch · missing seq──▶ Closed
//! ```
//!
//! Between `hello` and `welcome` a node sends nothing, so no frame contains events from that time. After the welcome it
//! reports every unacknowledged end again, and sends an inventory if its sandboxes changed.
//!
//! A repeated frame is dropped and counted. A missing frame, or one of another epoch, closes the connection. This loses
//! nothing, because operations, output and stdin continue by id and offset on the next connection.
use crate::frame::Envelope;
use crate::hello::Welcome;
use crate::ids::ConnectionEpoch;

/// Epoch of `hello` and of `refused`. No connection has it.
pub const NO_EPOCH: ConnectionEpoch = ConnectionEpoch(0);

/// The epoch of a node's next connection. It is above the last one and above the gateway's clock (milliseconds since
/// 1970), so that a database restored from a backup does not assign an epoch that a node has already seen.
pub fn next_epoch(last: ConnectionEpoch, wall_ms: u64) -> ConnectionEpoch {
    ConnectionEpoch(last.0.saturating_add(1).max(wall_ms))
}

/// What to do with a received frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Handle it.
    Take,
    /// Repeated: drop it and count it.
    Duplicate,
    /// Close the connection and do not handle the frame.
    Close(CloseCause),
}

/// Why a connection must be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum CloseCause {
    #[error("a frame is missing: expected sequence {expected}, got {got}")]
    Missing { expected: u64, got: u64 },
    #[error("a frame of epoch {got} on the connection of epoch {expected}")]
    ForeignEpoch {
        expected: ConnectionEpoch,
        got: ConnectionEpoch,
    },
    #[error("the welcome's epoch {got} is not newer than {last}, which this daemon has seen")]
    StaleWelcome {
        last: ConnectionEpoch,
        got: ConnectionEpoch,
    },
    #[error("the connection is already closed")]
    Closed,
}

/// Numbers the frames that one end sends on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    epoch: ConnectionEpoch,
    seq: u64,
}

impl Outgoing {
    /// A new connection. A node begins with [`NO_EPOCH`], a gateway with the epoch that it assigns.
    pub fn new(epoch: ConnectionEpoch) -> Self {
        Self { epoch, seq: 0 }
    }

    /// The node was welcomed.
    pub fn welcomed(&mut self, epoch: ConnectionEpoch) {
        self.epoch = epoch;
    }

    /// Puts a message into its envelope.
    pub fn wrap<M>(&mut self, message: M) -> Envelope<M> {
        let seq = self.seq;
        self.seq = self.seq.saturating_add(1);
        Envelope {
            epoch: self.epoch,
            seq,
            message,
        }
    }
}

/// Checks the frames that one end receives on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    epoch: ConnectionEpoch,
    expected: u64,
    closed: bool,
    duplicates: u64,
}

impl Incoming {
    /// The gateway's end: the first frame is `hello` with [`NO_EPOCH`].
    pub fn of_gateway() -> Self {
        Self::new(NO_EPOCH)
    }

    /// The node's end, opened by an acceptable welcome (see [`NodeEpochs`]), which was the frame with sequence 0.
    pub fn of_node(epoch: ConnectionEpoch) -> Self {
        Self {
            expected: 1,
            ..Self::new(epoch)
        }
    }

    fn new(epoch: ConnectionEpoch) -> Self {
        Self {
            epoch,
            expected: 0,
            closed: false,
            duplicates: 0,
        }
    }

    /// The gateway answered `hello` with a welcome: frames carry this epoch from now on.
    pub fn welcomed(&mut self, epoch: ConnectionEpoch) {
        self.epoch = epoch;
    }

    /// A newer connection replaced this one, or it broke: none of its frames counts.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The connection's epoch, [`NO_EPOCH`] before the welcome.
    pub fn epoch(&self) -> ConnectionEpoch {
        self.epoch
    }

    /// Number of repeated frames.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Checks a frame by its envelope.
    pub fn judge<M>(&mut self, frame: &Envelope<M>) -> Verdict {
        let verdict = self.verdict(frame.epoch, frame.seq);
        match verdict {
            Verdict::Take => self.expected = self.expected.saturating_add(1),
            Verdict::Duplicate => self.duplicates = self.duplicates.saturating_add(1),
            Verdict::Close(_) => self.closed = true,
        }
        verdict
    }

    fn verdict(&self, epoch: ConnectionEpoch, seq: u64) -> Verdict {
        if self.closed {
            return Verdict::Close(CloseCause::Closed);
        }
        // A repeated `hello` still carries no epoch.
        let first_again = epoch == NO_EPOCH && seq == 0 && self.expected > 0;
        if epoch != self.epoch && !first_again {
            return Verdict::Close(CloseCause::ForeignEpoch {
                expected: self.epoch,
                got: epoch,
            });
        }
        match seq.cmp(&self.expected) {
            std::cmp::Ordering::Less => Verdict::Duplicate,
            std::cmp::Ordering::Equal => Verdict::Take,
            std::cmp::Ordering::Greater => Verdict::Close(CloseCause::Missing {
                expected: self.expected,
                got: seq,
            }),
        }
    }
}

/// The epochs that this daemon process has seen; kept across its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeEpochs {
    highest: ConnectionEpoch,
}

impl NodeEpochs {
    /// The newest epoch that was accepted.
    pub fn highest(&self) -> ConnectionEpoch {
        self.highest
    }

    /// Checks a welcome, the first frame of a connection. Returns the rest of the connection, or why it must be closed.
    ///
    /// # Errors
    /// [`CloseCause`]: an outdated gateway answered, or the frame is not the first of its own connection.
    pub fn welcome<M>(
        &mut self,
        frame: &Envelope<M>,
        welcome: &Welcome,
    ) -> Result<Incoming, CloseCause> {
        if frame.seq != 0 {
            return Err(CloseCause::Missing {
                expected: 0,
                got: frame.seq,
            });
        }
        if frame.epoch != welcome.epoch {
            return Err(CloseCause::ForeignEpoch {
                expected: welcome.epoch,
                got: frame.epoch,
            });
        }
        if welcome.epoch <= self.highest {
            return Err(CloseCause::StaleWelcome {
                last: self.highest,
                got: welcome.epoch,
            });
        }
        self.highest = welcome.epoch;
        Ok(Incoming::of_node(welcome.epoch))
    }
}
