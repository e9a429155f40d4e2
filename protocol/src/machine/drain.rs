//! Draining. Promise P7: no new placement after the ack; "drained" only when the node itself confirms that it is empty.
//!
//! ```text
//!  gateway   Accepting ──drain──▶ Asked(turn) ──draining {on, turn}──▶ Draining ──{empty}──▶ Drained
//!                ▲────────────────────────── undrain (turn + 1) ──────────────┴─────────────────┘
//!  node      takes sandboxes ──drain {on}──▶ refuses new ones; says so, and again when the last one is gone
//! ```
//!
//! Each change of mind is a new turn, and a node's answer names the turn that it answers: otherwise the late answer to
//! an earlier drain, after an undrain and a placement, would pass for the present one. The gateway stops placing with
//! the wish already; the ack only makes it a promise. A lost connection takes back what the node confirmed.
use serde::{Deserialize, Serialize};

use crate::control::{Control, ControlReply};

/// Draining as the gateway stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wish {
    /// Whether the node is to drain.
    pub on: bool,
    /// Rises with each change.
    pub turn: u64,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    Accepting,
    /// The node has not confirmed yet (or not on this connection).
    Asked,
    /// The node confirmed and still holds sandboxes.
    Draining,
    /// The node confirmed that it is empty.
    Drained,
}

/// The gateway's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayDrain {
    wish: Wish,
    /// The node answered this turn on this connection; the value says whether it is empty.
    confirmed: Option<bool>,
}

impl GatewayDrain {
    /// From what is stored.
    pub fn restore(wish: Wish) -> Self {
        Self {
            wish,
            confirmed: None,
        }
    }

    /// What to store.
    pub fn wish(&self) -> Wish {
        self.wish
    }

    /// Drain or undrain: the frame to send once the new wish is stored; `None` when nothing changes.
    pub fn set(&mut self, on: bool) -> Option<Control> {
        if self.wish.on == on {
            return None;
        }
        self.wish = Wish {
            on,
            turn: self.wish.turn + 1,
        };
        self.confirmed = None;
        Some(self.frame())
    }

    /// A connection is open: the frame to send before any operation, if the node has to be told more than `welcome` says.
    pub fn connected(&mut self) -> Option<Control> {
        self.confirmed = None;
        self.wish.on.then(|| self.frame())
    }

    /// The connection is gone.
    pub fn disconnected(&mut self) {
        self.confirmed = None;
    }

    /// The node answered, or said on its own that it became empty.
    pub fn reply(&mut self, on: bool, turn: u64, empty: bool) {
        if on == self.wish.on && turn == self.wish.turn {
            self.confirmed = Some(empty);
        }
    }

    /// Whether a new sandbox may be placed on the node.
    pub fn may_place(&self) -> bool {
        !self.wish.on
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        match (self.wish.on, self.confirmed) {
            (false, _) => Progress::Accepting,
            (true, None) => Progress::Asked,
            (true, Some(false)) => Progress::Draining,
            (true, Some(true)) => Progress::Drained,
        }
    }

    fn frame(&self) -> Control {
        Control::Drain {
            on: self.wish.on,
            turn: self.wish.turn,
        }
    }
}

/// What a node holds, asked of the engine and the ledger now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// Sandboxes with our labels, running or not.
    pub sandboxes: usize,
    /// Provisions in the ledger that have not ended.
    pub provisions: usize,
    /// The engine did not answer, so nothing is known.
    pub engine_silent: bool,
}

impl Holding {
    /// Whether the node may say that it is empty.
    pub fn is_empty(&self) -> bool {
        self.sandboxes == 0 && self.provisions == 0 && !self.engine_silent
    }
}

/// The node's side. It keeps nothing across a restart: each `welcome` and `drain` says it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeDrain {
    on: bool,
    turn: u64,
    /// What was last said on this connection.
    said_empty: Option<bool>,
}

impl NodeDrain {
    /// `welcome` came: `draining` holds until a frame says otherwise.
    pub fn welcomed(&mut self, draining: bool) {
        self.on = draining;
        self.said_empty = None;
    }

    /// Whether new sandboxes are refused.
    pub fn draining(&self) -> bool {
        self.on
    }

    /// `drain` came: the answer.
    pub fn drain(&mut self, on: bool, turn: u64, holding: Holding) -> ControlReply {
        self.on = on;
        self.turn = turn;
        self.say(holding)
    }

    /// What the node holds changed: the answer to send on its own, if it became empty (or is empty no more).
    pub fn changed(&mut self, holding: Holding) -> Option<ControlReply> {
        let news = self.on
            && self
                .said_empty
                .is_some_and(|said| said != holding.is_empty());
        news.then(|| self.say(holding))
    }

    fn say(&mut self, holding: Holding) -> ControlReply {
        let empty = holding.is_empty();
        self.said_empty = Some(empty);
        ControlReply::Draining {
            on: self.on,
            turn: self.turn,
            empty,
        }
    }
}
