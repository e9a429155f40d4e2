//! When a node ends a sandbox by itself. Promise P8: lost contact for less than the lease destroys nothing.
//!
//! ```text
//!  Held ──used · renewed──▶ Held       Held ──length without either──▶ Over (the container ends, the archive stays)
//!  not listed by the gateway ──grace since it was made, and no work under way──▶ Orphan
//! ```
//!
//! A lease uses the clock that continues while the machine sleeps (`CLOCK_BOOTTIME`). Jumps of the wall clock and the
//! gateway's absence do not matter. With a check every [`CHECK_MS`], a sandbox outlives its lease by less than the 60 s
//! of P4.
use crate::limits::{MIN_LEASE_S, SANDBOX_LEASE_S};

/// Interval between two checks of the leases, milliseconds.
pub const CHECK_MS: u64 = 30_000;

/// A sandbox's lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    length_ms: u64,
    used_ms: u64,
}

impl Lease {
    /// Begins now. A length outside [`MIN_LEASE_S`] to [`SANDBOX_LEASE_S`] is clamped.
    pub fn new(lease_s: u64, now_ms: u64) -> Self {
        Self {
            length_ms: bounded_ms(lease_s),
            used_ms: now_ms,
        }
    }

    /// Restores a lease after a restart. After another boot the old reading means nothing. If not every use was stored,
    /// the reading may be too old; pass `same_boot` as false then. The lease then begins again: late rather than early.
    pub fn restore(lease_s: u64, used_ms: u64, same_boot: bool, now_ms: u64) -> Self {
        let used_ms = if same_boot {
            used_ms.min(now_ms)
        } else {
            now_ms
        };
        Self {
            length_ms: bounded_ms(lease_s),
            used_ms,
        }
    }

    /// Records a use of the sandbox (an operation began, ran or ended in it).
    pub fn used(&mut self, now_ms: u64) {
        self.used_ms = self.used_ms.max(now_ms);
    }

    /// Records a renewal by the gateway.
    pub fn renewed(&mut self, lease_s: u64, now_ms: u64) {
        self.length_ms = bounded_ms(lease_s);
        self.used(now_ms);
    }

    /// Time of the last use, for storage.
    pub fn used_ms(&self) -> u64 {
        self.used_ms
    }

    /// When it ends without further use.
    pub fn until_ms(&self) -> u64 {
        self.used_ms.saturating_add(self.length_ms)
    }

    /// Whether the container must end. A running operation counts as use.
    pub fn is_over(&self, busy: bool, now_ms: u64) -> bool {
        !busy && now_ms >= self.until_ms()
    }
}

fn bounded_ms(lease_s: u64) -> u64 {
    lease_s
        .clamp(MIN_LEASE_S, SANDBOX_LEASE_S)
        .saturating_mul(1000)
}

/// A sandbox with our labels, after the gateway sent the list of sandboxes that should exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The gateway's list names it.
    pub listed: bool,
    /// It carries our labels and this node's id.
    pub ours: bool,
    /// An operation in the ledger that acts on it has not ended.
    pub busy: bool,
    pub age_ms: u64,
}

/// Whether to remove an unknown sandbox: never one that is not ours, in use, or younger than the grace period.
pub fn is_orphan(found: Found, grace_s: u64) -> bool {
    found.ours
        && !found.listed
        && !found.busy
        && found.age_ms >= grace_s.max(MIN_LEASE_S).saturating_mul(1000)
}
