//! The pure rules of `restart.rs`: tables and properties.

use proptest::prelude::*;

use super::restart::*;
use super::*;

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

#[test]
fn back_off_doubles_up_to_its_cap_and_jitter_takes_at_most_half() {
    let back_off = BackOff {
        first: Duration::from_millis(50),
        cap: seconds(1),
    };
    let cases = [
        (1, 0.0, 50),
        (2, 0.0, 100),
        (3, 0.0, 200),
        (5, 0.0, 800),
        (6, 0.0, 1000),
        (99, 0.0, 1000),
        (1, 1.0, 25),
        (6, 0.5, 750),
    ];
    for (failures, jitter, ms) in cases {
        assert_eq!(
            back_off.delay(failures, jitter),
            Duration::from_millis(ms),
            "{failures} failures, jitter {jitter}"
        );
    }
}

#[test]
fn policies_read_as_their_table() {
    use Ending::{Clean, Failed};
    let cases = [
        (Restart::Permanent, Clean, true),
        (Restart::Permanent, Failed, true),
        (Restart::Transient, Clean, false),
        (Restart::Transient, Failed, true),
        (Restart::Temporary, Clean, false),
        (Restart::Temporary, Failed, false),
    ];
    for (policy, ending, expected) in cases {
        assert_eq!(
            wants_restart(policy, ending),
            expected,
            "{policy:?} {ending:?}"
        );
    }
}

#[test]
fn being_up_for_a_whole_period_begins_a_new_streak() {
    let mut history = History::new(Intensity {
        max: 9,
        within: seconds(60),
    });
    let ups = [(0, 1), (5, 2), (59, 3), (60, 1), (1, 2)];
    for (up, expected) in ups {
        assert_eq!(history.streak(seconds(up)), expected, "after {up} s");
    }
}

#[test]
fn failures_in_a_row_wait_longer_and_a_shared_allowance_is_the_one_that_counts() {
    let (now, back_off) = (
        Instant::now(),
        BackOff {
            first: seconds(1),
            cap: seconds(60),
        },
    );
    let history = |max| {
        History::new(Intensity {
            max,
            within: seconds(60),
        })
    };
    let (mut own, mut shared) = (history(0), history(4));
    let ups = [(0, 1), (3, 2), (0, 4), (60, 1)];
    for (up, expected) in ups {
        let case = Case {
            policy: Restart::Permanent,
            ending: Ending::Failed,
            up_for: seconds(up),
            now,
            jitter: 0.0,
        };
        let verdict = judge(case, &mut own, Some(&mut shared), back_off);
        assert_eq!(verdict, Verdict::Restart(seconds(expected)), "after {up} s");
    }
    let case = Case {
        policy: Restart::Permanent,
        ending: Ending::Clean,
        up_for: seconds(0),
        now,
        jitter: 0.0,
    };
    assert_eq!(
        judge(case, &mut own, Some(&mut shared), back_off),
        Verdict::Exhausted
    );
    assert_eq!(
        judge(case, &mut history(1), None, back_off),
        Verdict::Restart(seconds(1))
    );
}

proptest! {
    #[test]
    fn never_more_than_max_restarts_in_any_window(max in 0u32..6, within in 1u64..20, gaps in prop::collection::vec(0u64..8, 1..60)) {
        let (mut history, start) = (History::new(Intensity { max, within: seconds(within) }), Instant::now());
        let (mut at, mut admitted, mut at_last_refusal) = (0, Vec::new(), None);
        for gap in gaps {
            at += gap;
            if history.admit(start + seconds(at)) {
                admitted.push(at);
            } else {
                at_last_refusal = Some(at);
                // A refusal means that the window before it is full.
                let full = admitted.iter().filter(|restart| at - **restart < within).count();
                prop_assert_eq!(full, max as usize);
            }
        }
        for (index, first) in admitted.iter().enumerate() {
            let inside = admitted[index..].iter().filter(|restart| *restart - first < within).count();
            prop_assert!(inside <= max as usize, "{} restarts within {} s", inside, within);
        }
        prop_assert!(max > 0 || admitted.is_empty(), "{:?}", at_last_refusal);
    }

    #[test]
    fn a_delay_never_shrinks_with_more_failures_nor_leaves_its_bounds(
        first in 1u64..10_000, cap in 1u64..100_000, failures in 1u32..200, jitter in 0.0f64..=1.0,
    ) {
        let back_off = BackOff { first: Duration::from_millis(first), cap: Duration::from_millis(cap) };
        let (this, next) = (back_off.delay(failures, jitter), back_off.delay(failures + 1, jitter));
        prop_assert!(this <= next && next <= back_off.cap);
        prop_assert!(this >= back_off.first.min(back_off.cap).mul_f64(0.499));
    }

    #[test]
    fn child_without_restart_uses_no_allowance(endings in prop::collection::vec(any::<bool>(), 1..40)) {
        let (mut allowance, now) = (History::new(Intensity { max: 3, within: seconds(60) }), Instant::now());
        let mut restarts = 0;
        for failed in endings {
            let ending = if failed { Ending::Failed } else { Ending::Clean };
            let case = Case { policy: Restart::Transient, ending, up_for: Duration::ZERO, now, jitter: 0.0 };
            match judge(case, &mut allowance, None, BackOff::default()) {
                Verdict::Leave => prop_assert!(!failed),
                Verdict::Restart(_) => { restarts += 1; prop_assert!(failed && restarts <= 3) }
                Verdict::Exhausted => prop_assert!(failed && restarts == 3),
            }
        }
    }
}
