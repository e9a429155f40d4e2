//! Full-jitter back-off with a cap: ten thousand nodes reconnect without a storm (promise P9). Pure.
use std::time::Duration;

/// First upper bound of a wait.
const BASE: Duration = Duration::from_millis(500);
/// Upper bound of every wait after failures.
const CAP: Duration = Duration::from_secs(60);
/// Upper bound after a refusal that needs a person to fix it.
const REFUSED_CAP: Duration = Duration::from_secs(600);
/// A session of at least this length counts as a good one and resets the back-off.
const GOOD_SESSION: Duration = Duration::from_secs(30);

/// How long to wait before the next attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
}

/// How the last attempt went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// No connection, or a session that ended after this long.
    Ended { lived: Duration },
    /// The gateway refused, and reconnecting alone cannot help.
    Refused,
    /// The gateway is busy and asked the node to wait this long.
    Later { after: Duration },
}

impl Backoff {
    /// The wait after this attempt. `jitter` is uniform in 0..1.
    pub fn after(&mut self, attempt: Attempt, jitter: f64) -> Duration {
        match attempt {
            Attempt::Ended { lived } if lived >= GOOD_SESSION => self.failures = 0,
            _ => {}
        }
        self.failures = self.failures.saturating_add(1);
        let doubled = BASE.saturating_mul(1u32.checked_shl(self.failures - 1).unwrap_or(u32::MAX));
        match attempt {
            Attempt::Ended { .. } => doubled.min(CAP).mul_f64(jitter),
            Attempt::Refused => REFUSED_CAP.mul_f64(0.5 + jitter / 2.0),
            Attempt::Later { after } => after.min(REFUSED_CAP) + doubled.min(CAP).mul_f64(jitter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn waits_have_full_jitter_and_a_cap(failures in 1usize..100, jitter in 0.0f64..1.0) {
            let mut backoff = Backoff::default();
            let failed = Attempt::Ended { lived: Duration::ZERO };
            for _ in 0..failures {
                backoff.after(failed, 0.5);
            }
            let mut same = backoff;
            prop_assert!(backoff.after(failed, jitter) <= CAP);
            prop_assert_eq!(same.after(failed, 0.0), Duration::ZERO);
        }
    }

    #[test]
    fn bound_doubles_and_a_good_session_resets_it() {
        let mut backoff = Backoff::default();
        let failed = Attempt::Ended {
            lived: Duration::ZERO,
        };
        let bounds: Vec<_> = (0..9)
            .map(|_| backoff.after(failed, 1.0).as_millis())
            .collect();
        assert_eq!(
            bounds,
            [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]
        );
        let good = Attempt::Ended {
            lived: GOOD_SESSION,
        };
        assert_eq!(backoff.after(good, 1.0), BASE);
    }

    #[test]
    fn refusals_wait_longer_and_requested_waits_are_kept() {
        let mut backoff = Backoff::default();
        assert!(backoff.after(Attempt::Refused, 0.0) >= REFUSED_CAP / 2);
        let after = Duration::from_secs(5);
        assert!(backoff.after(Attempt::Later { after }, 0.0) >= after);
        assert!(
            backoff.after(
                Attempt::Later {
                    after: Duration::MAX
                },
                1.0
            ) <= REFUSED_CAP + CAP
        );
    }
}
