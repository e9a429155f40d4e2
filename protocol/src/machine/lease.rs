//! When a node ends a sandbox by itself. Promise P8: losing contact for less than the lease destroys nothing.
//!
//! ```text
//!  Held ──used · renewed──▶ Held       Held ──length without either──▶ Over (the container ends, the archive stays)
//!  not listed by the gateway ──grace since it was made, and no work under way──▶ Orphan
//! ```
//!
//! A lease counts on the machine's clock that runs on while it sleeps (`CLOCK_BOOTTIME`); wall-clock jumps and the
//! gateway's absence do not matter. Checked every [`CHECK_MS`], a sandbox outlives its lease by less than the 60 s of P4.
use crate::limits::{MIN_LEASE_S, SANDBOX_LEASE_S};

/// How often leases are to be checked, milliseconds.
pub const CHECK_MS: u64 = 30_000;

/// A sandbox's lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    length_ms: u64,
    used_ms: u64,
}

impl Lease {
    /// Begins now; a length outside of [`MIN_LEASE_S`] to [`SANDBOX_LEASE_S`] is brought into it.
    pub fn new(lease_s: u64, now_ms: u64) -> Self {
        Self {
            length_ms: bounded_ms(lease_s),
            used_ms: now_ms,
        }
    }

    /// As read after a restart. With another boot the old reading means nothing, and without one stored at every use it
    /// may be too old (give `same_boot` false then): the lease begins anew, late rather than early.
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

    /// The sandbox was used (an operation began, ran or ended in it).
    pub fn used(&mut self, now_ms: u64) {
        self.used_ms = self.used_ms.max(now_ms);
    }

    /// The gateway renewed it.
    pub fn renewed(&mut self, lease_s: u64, now_ms: u64) {
        self.length_ms = bounded_ms(lease_s);
        self.used(now_ms);
    }

    /// When it was last used, to be stored.
    pub fn used_ms(&self) -> u64 {
        self.used_ms
    }

    /// When it ends if nothing happens.
    pub fn until_ms(&self) -> u64 {
        self.used_ms.saturating_add(self.length_ms)
    }

    /// Whether the container is to be ended. Work under way is use.
    pub fn is_over(&self, busy: bool, now_ms: u64) -> bool {
        !busy && now_ms >= self.until_ms()
    }
}

fn bounded_ms(lease_s: u64) -> u64 {
    lease_s.clamp(MIN_LEASE_S, SANDBOX_LEASE_S) * 1000
}

/// A sandbox with our labels, when the gateway has said which ones should exist.
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

/// Whether to remove a sandbox that nobody knows: never one that is not ours, in use, or younger than the grace.
pub fn is_orphan(found: Found, grace_s: u64) -> bool {
    found.ours && !found.listed && !found.busy && found.age_ms >= grace_s.max(MIN_LEASE_S) * 1000
}
