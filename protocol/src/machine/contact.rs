//! Whether a node is there: connected, suspect after 1.5 heartbeat intervals without a frame, disconnected after 3.
//!
//! ```text
//!  Connected ──1.5 intervals──▶ Suspect ──3 intervals──▶ Disconnected
//!      ▲────────── any frame ──────┘                     (the connection is closed; only a new one leads back)
//! ```
//!
//! The interval is the one that this connection was told in `welcome`. Losing contact destroys nothing by itself.
use serde::{Deserialize, Serialize};

/// A node's connection as the specification names it.
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
            interval_ms: u64::from(heartbeat_s.max(1)) * 1000,
            heard_ms: now_ms,
            closed: false,
        }
    }

    /// A frame came; false when it came too late and the connection is to be closed.
    pub fn heard(&mut self, now_ms: u64) -> bool {
        if self.state(now_ms) == Connection::Disconnected {
            self.closed = true;
            return false;
        }
        self.heard_ms = self.heard_ms.max(now_ms);
        true
    }

    /// The socket closed.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// How it stands now.
    pub fn state(&self, now_ms: u64) -> Connection {
        let silent_ms = now_ms.saturating_sub(self.heard_ms);
        if self.closed || silent_ms >= self.interval_ms * 3 {
            Connection::Disconnected
        } else if silent_ms >= self.interval_ms * 3 / 2 {
            Connection::Suspect
        } else {
            Connection::Connected
        }
    }

    /// When the state changes next if nothing is heard; `None` once disconnected.
    pub fn next_change_ms(&self, now_ms: u64) -> Option<u64> {
        match self.state(now_ms) {
            Connection::Connected => Some(self.heard_ms + self.interval_ms * 3 / 2),
            Connection::Suspect => Some(self.heard_ms + self.interval_ms * 3),
            Connection::Disconnected => None,
        }
    }
}
