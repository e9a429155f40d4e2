//! The state of a node's connection: connected, suspect after 1.5 heartbeat intervals without a frame, disconnected
//! after 3.
//!
//! ```text
//!  Connected ──1.5 intervals──▶ Suspect ──3 intervals──▶ Disconnected
//!      ▲────────── any frame ──────┘                     (the connection is closed; only a new one leads back)
//! ```
//!
//! The interval is the one in this connection's `welcome`. Losing contact destroys nothing by itself.
use serde::{Deserialize, Serialize};

/// A node's connection, with the names of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    Connected,
    Suspect,
    Disconnected,
}

/// Watches one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    interval_ms: u64,
    heard_ms: u64,
    closed: bool,
}

impl Contact {
    /// A connection that was just welcomed with this interval.
    pub fn new(heartbeat_s: u32, now_ms: u64) -> Self {
        Self {
            interval_ms: u64::from(heartbeat_s.max(1)).saturating_mul(1000),
            heard_ms: now_ms,
            closed: false,
        }
    }

    /// Records a frame. Returns false when it came too late and the connection must be closed.
    pub fn heard(&mut self, now_ms: u64) -> bool {
        if self.state(now_ms) == Connection::Disconnected {
            self.closed = true;
            return false;
        }
        self.heard_ms = self.heard_ms.max(now_ms);
        true
    }

    /// Records that the socket closed.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The present state.
    pub fn state(&self, now_ms: u64) -> Connection {
        let silent_ms = now_ms.saturating_sub(self.heard_ms);
        if self.closed || silent_ms >= self.lost_after_ms() {
            Connection::Disconnected
        } else if silent_ms >= self.suspect_after_ms() {
            Connection::Suspect
        } else {
            Connection::Connected
        }
    }

    fn suspect_after_ms(&self) -> u64 {
        self.lost_after_ms() / 2
    }

    fn lost_after_ms(&self) -> u64 {
        self.interval_ms.saturating_mul(3)
    }

    /// When the state changes next without a frame; `None` once disconnected.
    pub fn next_change_ms(&self, now_ms: u64) -> Option<u64> {
        match self.state(now_ms) {
            Connection::Connected => Some(self.heard_ms.saturating_add(self.suspect_after_ms())),
            Connection::Suspect => Some(self.heard_ms.saturating_add(self.lost_after_ms())),
            Connection::Disconnected => None,
        }
    }
}
