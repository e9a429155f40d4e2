//! Draining. Promise P7: no new placement after the ack; "drained" only when the node itself reports that it is empty.
//!
//! ```text
//!  gateway   Accepting ──drain──▶ Asked(turn) ──draining {on, turn}──▶ Draining ──{empty}──▶ Drained
//!                ▲────────────────────────── undrain (turn + 1) ──────────────┴─────────────────┘
//!  node      takes sandboxes ──drain {on}──▶ refuses new ones; says so, and again when the last one is gone
//! ```
//!
//! Each change of the wish is a new turn, and a node's answer names its turn. Otherwise a late answer to an earlier
//! drain, after an undrain and a placement, would count for the present one. The gateway stops placing as soon as the
//! wish is set; the ack makes it a promise. A lost connection resets what the node confirmed.
use serde::{Deserialize, Serialize};

use crate::control::{Control, ControlReply};

/// The wish as the gateway stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wish {
    /// Whether the node should drain.
    pub on: bool,
    /// Rises with each change.
    pub turn: u64,
}

/// The progress of a drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    Accepting,
    /// The node has not confirmed yet, or not on this connection.
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
    /// The node answered this turn on this connection; the value is whether it was empty.
    confirmed: Option<bool>,
}

impl GatewayDrain {
    /// Restores it from the stored wish.
    pub fn restore(wish: Wish) -> Self {
        Self {
            wish,
            confirmed: None,
        }
    }

    /// The wish to store.
    pub fn wish(&self) -> Wish {
        self.wish
    }

    /// Drains or undrains. Returns the frame to send after the new wish is stored; `None` when nothing changes.
    pub fn set(&mut self, on: bool) -> Option<Control> {
        if self.wish.on == on {
            return None;
        }
        self.wish = Wish {
            on,
            turn: self.wish.turn.saturating_add(1),
        };
        self.confirmed = None;
        Some(self.frame())
    }

    /// A connection is open. Returns the frame to send before any operation, if the node needs more than `welcome`
    /// contains.
    pub fn connected(&mut self) -> Option<Control> {
        self.confirmed = None;
        self.wish.on.then(|| self.frame())
    }

    /// The connection is gone.
    pub fn disconnected(&mut self) {
        self.confirmed = None;
    }

    /// Handles the node's answer, or its own report that it became empty.
    pub fn reply(&mut self, on: bool, turn: u64, empty: bool) {
        if on == self.wish.on && turn == self.wish.turn {
            self.confirmed = Some(empty);
        }
    }

    /// Whether the gateway may place a new sandbox on the node.
    pub fn may_place(&self) -> bool {
        !self.wish.on
    }

    /// The present progress.
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

/// What a node holds, by the engine and the ledger now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// Sandboxes with our labels, running or not.
    pub sandboxes: usize,
    /// Provisions in the ledger that have not ended.
    pub provisions: usize,
    /// The engine did not answer, so the number of sandboxes is unknown.
    pub engine_silent: bool,
}

impl Holding {
    /// Whether the node may report that it is empty.
    pub fn is_empty(&self) -> bool {
        self.sandboxes == 0 && self.provisions == 0 && !self.engine_silent
    }
}

/// The node's side. It keeps nothing across a restart: each `welcome` and `drain` sets it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeDrain {
    on: bool,
    turn: u64,
    /// What was last reported on this connection.
    reported_empty: Option<bool>,
}

impl NodeDrain {
    /// Handles `welcome`: `draining` applies until a later frame changes it.
    pub fn welcomed(&mut self, draining: bool) {
        self.on = draining;
        self.reported_empty = None;
    }

    /// Whether new sandboxes are refused.
    pub fn draining(&self) -> bool {
        self.on
    }

    /// Handles `drain`; returns the answer.
    pub fn drain(&mut self, on: bool, turn: u64, holding: Holding) -> ControlReply {
        self.on = on;
        self.turn = turn;
        self.report(holding)
    }

    /// Handles a change of what the node holds. Returns the report to send if emptiness changed.
    pub fn changed(&mut self, holding: Holding) -> Option<ControlReply> {
        let news = self.on
            && self
                .reported_empty
                .is_some_and(|said| said != holding.is_empty());
        news.then(|| self.report(holding))
    }

    fn report(&mut self, holding: Holding) -> ControlReply {
        let empty = holding.is_empty();
        self.reported_empty = Some(empty);
        ControlReply::Draining {
            on: self.on,
            turn: self.turn,
            empty,
        }
    }
}
