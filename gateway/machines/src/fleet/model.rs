//! Pure rules of the fleet, besides the state machines in `roost_protocol::machine` (handshake, contact, session, drain):
//! a node's status, and the heartbeat interval for the size of the fleet.

use std::time::Duration;

use roost_protocol::limits::HEARTBEAT_S;
use roost_protocol::machine::contact;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long a join code is valid.
pub const JOIN_CODE_TTL: Duration = Duration::from_secs(600);
/// How long a past problem (a clone, a wrong version) is shown.
pub const TROUBLE_SHOWN: Duration = Duration::from_secs(3600);

/// Whether the gateway receives frames from the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NodeConnection)]
pub enum Connection {
    /// The last frame is at most one and a half intervals old.
    Connected,
    /// No frame for one and a half intervals. The gateway places nothing new there.
    Suspect,
    /// No connection, or no frame for three intervals.
    Disconnected,
}

impl Connection {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Suspect => "suspect",
            Self::Disconnected => "disconnected",
        }
    }

    /// Reads a word of the store.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "connected" => Self::Connected,
            "suspect" => Self::Suspect,
            _ => Self::Disconnected,
        }
    }
}

impl From<contact::Connection> for Connection {
    fn from(connection: contact::Connection) -> Self {
        match connection {
            contact::Connection::Connected => Self::Connected,
            contact::Connection::Suspect => Self::Suspect,
            contact::Connection::Disconnected => Self::Disconnected,
        }
    }
}

/// The status that people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NodeStatus)]
pub enum Status {
    /// Paired, never connected.
    Pending,
    Online,
    Offline,
    /// It takes no new sandboxes. A disconnect does not end draining.
    Draining,
}

impl Status {
    /// From the fields of a row.
    pub fn of(ever_seen: bool, draining: bool, connection: Connection) -> Self {
        match (ever_seen, draining, connection) {
            (false, _, _) => Self::Pending,
            (true, true, _) => Self::Draining,
            (true, false, Connection::Disconnected) => Self::Offline,
            (true, false, Connection::Connected | Connection::Suspect) => Self::Online,
        }
    }
}

/// Seconds between heartbeats: longer as the fleet grows, so that the gateway receives at most a thousand each second.
pub fn heartbeat_s(connected: usize) -> u32 {
    u32::try_from(connected / 1_000)
        .unwrap_or(u32::MAX)
        .clamp(HEARTBEAT_S, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draining_is_shown_connected_or_not() {
        for connection in [
            Connection::Connected,
            Connection::Suspect,
            Connection::Disconnected,
        ] {
            assert_eq!(Status::of(true, true, connection), Status::Draining);
            assert_eq!(Status::of(false, false, connection), Status::Pending);
        }
        assert_eq!(Status::of(true, false, Connection::Suspect), Status::Online);
        assert_eq!(
            Status::of(true, false, Connection::Disconnected),
            Status::Offline
        );
    }

    #[test]
    fn a_large_fleet_beats_slower_and_never_faster_than_at_rest() {
        assert_eq!(heartbeat_s(0), 10);
        assert_eq!(heartbeat_s(10_000), 10);
        assert_eq!(heartbeat_s(30_000), 30);
        assert_eq!(heartbeat_s(1_000_000), 60);
    }
}
