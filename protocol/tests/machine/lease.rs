//! Leases and orphans: what ends a sandbox, and what never does (P8).
use proptest::prelude::*;
use roost_protocol::limits::{MIN_LEASE_S, SANDBOX_LEASE_S};
use roost_protocol::machine::lease::{CHECK_MS, Found, Lease, is_orphan};

proptest! {
    #[test]
    fn sandbox_used_within_its_lease_is_kept(
        lease_s in 0u64..SANDBOX_LEASE_S * 2,
        steps in proptest::collection::vec((0u64..200_000_000, 0u8..3), 0..30),
        silent_ms in 0u64..200_000_000,
    ) {
        let mut now_ms = 0;
        let mut lease = Lease::new(lease_s, now_ms);
        let length_ms = lease_s.clamp(MIN_LEASE_S, SANDBOX_LEASE_S) * 1000;
        for (step, what) in steps {
            now_ms += step;
            match what {
                0 => lease.used(now_ms),
                1 => lease.renewed(lease_s, now_ms),
                // The daemon restarts in the same boot, with a stored reading.
                _ => lease = Lease::restore(lease_s, lease.used_ms(), true, now_ms),
            }
        }
        let used_ms = lease.used_ms();
        let later = now_ms + silent_ms;
        prop_assert_eq!(lease.is_over(false, later), later - used_ms >= length_ms);
        prop_assert!(!lease.is_over(true, later));
    }

    #[test]
    fn another_boot_restarts_the_lease(used_ms in any::<u64>(), now_ms in 0u64..1 << 40) {
        let lease = Lease::restore(MIN_LEASE_S, used_ms, false, now_ms);
        prop_assert!(!lease.is_over(false, now_ms));
        prop_assert_eq!(lease.until_ms(), now_ms + MIN_LEASE_S * 1000);
    }

    #[test]
    fn backward_clock_ends_no_lease(now_ms in 1u64 << 30..1 << 40, back in 0u64..1 << 30) {
        let lease = Lease::new(MIN_LEASE_S, now_ms);
        prop_assert!(!lease.is_over(false, now_ms - back));
        let restored = Lease::restore(MIN_LEASE_S, now_ms, true, now_ms - back);
        prop_assert!(!restored.is_over(false, now_ms - back));
    }

    #[test]
    fn orphan_must_be_ours_unlisted_idle_and_past_the_grace(listed in any::<bool>(), ours in any::<bool>(), busy in any::<bool>(), age_ms in 0u64..1_000_000, grace_s in 0u64..600) {
        let found = Found { listed, ours, busy, age_ms };
        let old = age_ms >= grace_s.max(MIN_LEASE_S) * 1000;
        prop_assert_eq!(is_orphan(found, grace_s), ours && !listed && !busy && old);
    }
}

#[test]
fn sandbox_outlives_its_lease_by_less_than_a_minute() {
    const { assert!(CHECK_MS < 60_000) };
}
