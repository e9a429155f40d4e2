//! Leases of sandboxes by the monotonic clock: how long one lives since its last use. Pure.
//!
//! What a lease ends is the container, never the archived workspace. After a restart of the daemon a lease begins anew:
//! it can be late by one lease, never early.
use std::collections::HashMap;
use std::time::Duration;

use roost_protocol::ids::SandboxId;
use roost_protocol::limits::SANDBOX_LEASE_S;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Lease {
    used: Duration,
    length: Duration,
}

/// All leases of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leases(HashMap<SandboxId, Lease>);

impl Leases {
    /// A sandbox exists since `now`; one that is known keeps its lease.
    pub fn seen(&mut self, sandbox: SandboxId, lease_s: Option<u64>, now: Duration) {
        let length = Duration::from_secs(lease_s.unwrap_or(SANDBOX_LEASE_S));
        self.0.entry(sandbox).or_insert(Lease { used: now, length });
    }

    /// It was used at `now`.
    pub fn used(&mut self, sandbox: SandboxId, now: Duration) {
        if let Some(lease) = self.0.get_mut(&sandbox) {
            lease.used = lease.used.max(now);
        }
    }

    /// The gateway says that these are in use.
    pub fn renew(&mut self, sandboxes: &[SandboxId], lease_s: u64, now: Duration) {
        for sandbox in sandboxes {
            if let Some(lease) = self.0.get_mut(sandbox) {
                *lease = Lease {
                    used: lease.used.max(now),
                    length: Duration::from_secs(lease_s),
                };
            }
        }
    }

    /// It is gone.
    pub fn ended(&mut self, sandbox: SandboxId) {
        self.0.remove(&sandbox);
    }

    /// Sandboxes whose lease is over at `now`; `busy` ones are in use whatever the clock says.
    pub fn over(&self, now: Duration, busy: impl Fn(SandboxId) -> bool) -> Vec<SandboxId> {
        let over = |lease: &Lease| now.saturating_sub(lease.used) > lease.length;
        let mut out: Vec<_> = self
            .0
            .iter()
            .filter(|(sandbox, lease)| over(lease) && !busy(**sandbox))
            .map(|(sandbox, _)| *sandbox)
            .collect();
        out.sort();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_lease_counts_from_the_last_use_and_never_ends_what_is_busy() {
        let (a, b) = (SandboxId(Uuid::from_u128(1)), SandboxId(Uuid::from_u128(2)));
        let s = Duration::from_secs;
        let mut leases = Leases::default();
        leases.seen(a, Some(60), s(0));
        leases.seen(b, Some(60), s(0));
        leases.used(a, s(30));
        assert_eq!(leases.over(s(60), |_| false), []);
        assert_eq!(leases.over(s(61), |_| false), [b]);
        assert_eq!(leases.over(s(91), |sandbox| sandbox == a), [b]);
        leases.renew(&[b], 10, s(91));
        assert_eq!(leases.over(s(92), |_| false), [a]);
        // Seen again changes nothing: a sweep is no use.
        leases.seen(b, Some(60), s(99));
        assert_eq!(leases.over(s(102), |_| false), [a, b]);
        leases.ended(a);
        assert_eq!(leases.over(s(102), |_| false), [b]);
    }
}
