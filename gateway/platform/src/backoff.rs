//! Waits that grow with each failure in a row, as pure arithmetic. No clock and no random number is read here.

use std::time::Duration;

/// The wait after a failure. It doubles with each failure in a row, up to a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackOff {
    /// The wait after the first failure.
    pub first: Duration,
    /// The longest wait.
    pub cap: Duration,
}

impl Default for BackOff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(50),
            cap: Duration::from_secs(30),
        }
    }
}

impl BackOff {
    /// The whole wait after the `failures`-th failure in a row (1 is the first).
    pub fn whole(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        self.first.saturating_mul(1 << doublings).min(self.cap)
    }

    /// As [`BackOff::whole`]. `jitter` in 0..=1 shortens the wait by up to half, so that parts which failed together do
    /// not start again together.
    pub fn delay(&self, failures: u32, jitter: f64) -> Duration {
        let whole = self.whole(failures);
        whole.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: BackOff = BackOff {
        first: Duration::from_secs(1),
        cap: Duration::from_secs(60),
    };

    #[test]
    fn the_wait_doubles_from_the_first_to_the_cap() {
        let waits = [0, 1, 2, 3, 6, 7, 8, u32::MAX].map(|failures| STEPS.whole(failures).as_secs());
        assert_eq!(waits, [1, 1, 2, 4, 32, 60, 60, 60]);
    }

    #[test]
    fn jitter_shortens_the_wait_by_up_to_half() {
        let waits = [-1.0, 0.0, 0.5, 1.0, 2.0].map(|jitter| STEPS.delay(3, jitter).as_millis());
        assert_eq!(waits, [4_000, 4_000, 3_000, 2_000, 2_000]);
    }
}
