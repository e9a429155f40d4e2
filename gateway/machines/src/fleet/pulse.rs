//! What the socket of a connected machine shares with its actor and with the fleet's workers: when the machine was last
//! heard, and the queue of frames to it. A heartbeat goes from the socket past the actor's mailbox. The actor learns only
//! that the state of the contact has changed.
//!
//! Invariants: the state follows the monotonic clock and the interval of the connection's welcome
//! (`roost_protocol::machine::contact`). A pulse that is closed takes no frame and sends none (P6), and its socket ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::machine::contact::{self, Contact};
use tokio::sync::mpsc;

use super::model::Connection;
use crate::fleet::operations::Fence;
use roost_platform::ids::WorkspaceId;

/// The number of the pings that only keep a connection alive. The pings that decide about a copied machine count from 1.
pub(super) const KEEP_ALIVE: u64 = 0;

/// The queue of frames to a machine. A frame is boxed, because the queue allocates its slots in blocks.
pub(super) type ToSocket = mpsc::Sender<Box<ToNode>>;

/// The contact of one connection.
pub(super) struct Pulse {
    pub(super) fence: Fence,
    pub(super) workspace: WorkspaceId,
    interval: Duration,
    born: Instant,
    state: Mutex<State>,
}

struct State {
    contact: Contact,
    /// What the actor was told last.
    told: Connection,
    pinged: Instant,
    /// Absent once the connection is given up.
    out: Option<ToSocket>,
}

/// What a frame means for the contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// The contact is as it was.
    Same,
    /// The machine was silent before: its actor must be told.
    Again,
    /// It came after the connection was lost: the socket must close.
    TooLate,
    /// The connection was given up: the frame does not count (P6).
    Closed,
}

impl Pulse {
    pub(super) fn new(
        fence: Fence,
        workspace: WorkspaceId,
        interval_s: u32,
        born: Instant,
        out: ToSocket,
    ) -> Arc<Self> {
        Arc::new(Self {
            fence,
            workspace,
            interval: Duration::from_secs(u64::from(interval_s)),
            born,
            state: Mutex::new(State {
                contact: Contact::new(interval_s, 0),
                told: Connection::Connected,
                pinged: born,
                out: Some(out),
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock; if it did, the state would still be consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn age_ms(&self, now: Instant) -> u64 {
        let age = now.saturating_duration_since(self.born);
        u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
    }

    /// For how long the row counts without a new frame, milliseconds.
    pub(super) fn hold_ms(&self) -> i64 {
        hold_ms(self.interval)
    }

    /// A frame arrived.
    pub(super) fn heard(&self, now: Instant) -> Heard {
        let now_ms = self.age_ms(now);
        let mut state = self.state();
        if state.out.is_none() {
            return Heard::Closed;
        }
        if !state.contact.heard(now_ms) {
            return Heard::TooLate;
        }
        match std::mem::replace(&mut state.told, Connection::Connected) {
            Connection::Connected => Heard::Same,
            _ => Heard::Again,
        }
    }

    /// The state at this time.
    pub(super) fn connection(&self, now: Instant) -> Connection {
        self.state().contact.state(self.age_ms(now)).into()
    }

    /// Whether the machine was silent for so long that the gateway places nothing new on it.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        self.state().contact.state(self.age_ms(now)) != contact::Connection::Connected
    }

    /// Time has passed: pings the machine if that is due. True if the actor must be told about a new state.
    pub(super) fn look(&self, now: Instant) -> bool {
        let now_ms = self.age_ms(now);
        let mut state = self.state();
        let Some(out) = &state.out else { return false };
        if now.saturating_duration_since(state.pinged) >= self.interval {
            let ping = ToNode::Control(Control::Ping { nonce: KEEP_ALIVE });
            // A full queue drops it: the silence of a machine that does not read is noticed.
            let _ = out.try_send(Box::new(ping));
            state.pinged = now;
        }
        let present = state.contact.state(now_ms).into();
        std::mem::replace(&mut state.told, present) != present
    }

    /// Queues a message; a full queue drops it.
    pub(super) fn send(&self, message: ToNode) -> bool {
        let state = self.state();
        let out = state.out.as_ref();
        out.is_some_and(|out| out.try_send(Box::new(message)).is_ok())
    }

    /// Gives the connection up.
    pub(super) fn close(&self) {
        self.state().out = None;
    }
}

pub(super) fn hold_ms(interval: Duration) -> i64 {
    i64::try_from((interval * 3).as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use roost_platform::ids::NodeId;

    use super::*;

    fn pulse(born: Instant) -> (Arc<Pulse>, mpsc::Receiver<Box<ToNode>>) {
        let (out, queue) = mpsc::channel(4);
        let fence = Fence {
            node: NodeId(uuid::Uuid::from_u128(1)),
            epoch: 7,
            held_by: "here".to_owned(),
        };
        let workspace = WorkspaceId(uuid::Uuid::from_u128(2));
        (Pulse::new(fence, workspace, 10, born, out), queue)
    }

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn actor_is_told_each_change_once_and_no_frame_that_changes_nothing() {
        let born = Instant::now();
        let (pulse, _queue) = pulse(born);
        assert_eq!(pulse.heard(born + seconds(10)), Heard::Same);
        assert!(!pulse.look(born + seconds(24)));
        assert!(pulse.look(born + seconds(25)), "one and a half intervals");
        assert!(!pulse.look(born + seconds(26)), "it was told");
        assert_eq!(pulse.connection(born + seconds(26)), Connection::Suspect);
        assert!(pulse.is_silent(born + seconds(26)));
        assert_eq!(pulse.heard(born + seconds(27)), Heard::Again);
        assert_eq!(pulse.heard(born + seconds(28)), Heard::Same);
        assert!(pulse.look(born + seconds(58)), "three intervals");
        assert_eq!(
            pulse.connection(born + seconds(58)),
            Connection::Disconnected
        );
        assert_eq!(pulse.heard(born + seconds(59)), Heard::TooLate);
    }

    #[test]
    fn machine_is_pinged_once_an_interval() {
        let born = Instant::now();
        let (pulse, mut queue) = pulse(born);
        for second in 0..=20 {
            pulse.heard(born + seconds(second));
            pulse.look(born + seconds(second));
        }
        let mut pings = 0;
        while let Ok(message) = queue.try_recv() {
            assert!(matches!(
                *message,
                ToNode::Control(Control::Ping { nonce: KEEP_ALIVE })
            ));
            pings += 1;
        }
        assert_eq!(pings, 2);
    }

    #[test]
    fn closed_connection_takes_no_frame_and_ends_its_socket() {
        let born = Instant::now();
        let (pulse, mut queue) = pulse(born);
        pulse.close();
        assert_eq!(pulse.heard(born), Heard::Closed);
        assert!(!pulse.look(born + seconds(100)));
        assert!(!pulse.send(ToNode::Unknown));
        assert_eq!(
            queue.try_recv().unwrap_err(),
            mpsc::error::TryRecvError::Disconnected,
            "the writer ends when the queue has no sender"
        );
    }
}
