//! The clock: the only source of the time in the gateway. It is passed in everywhere, so a test sets the time and never
//! has to sleep.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Mutex;

/// Wall time for people and rows, monotonic time for deadlines and ages.
///
/// There are two implementations: [`SystemClock`] in the program, [`TestClock`] in tests and simulations.
pub trait Clock: Send + Sync + std::fmt::Debug + 'static {
    /// The wall clock in UTC. May jump; never subtract two of these to measure a duration that matters.
    fn now(&self) -> DateTime<Utc>;
    /// A clock that never goes backwards, for deadlines and ages.
    fn monotonic(&self) -> Instant;
}

/// A shared clock: cheap to clone, used by every actor of one tree.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's own clocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl SystemClock {
    /// The system clock, ready to be passed in.
    pub fn shared() -> SharedClock {
        Arc::new(Self)
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the machine for the time"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn monotonic(&self) -> Instant {
        Instant::now()
    }
}

/// A clock that stands still until a test moves it. Clones share the same time.
#[derive(Debug, Clone)]
pub struct TestClock {
    inner: Arc<TestTime>,
}

#[derive(Debug)]
struct TestTime {
    wall_start: DateTime<Utc>,
    monotonic_start: Instant,
    elapsed: Mutex<Duration>,
}

impl TestClock {
    /// A clock that stands at `wall_start`.
    pub fn at(wall_start: DateTime<Utc>) -> Self {
        Self {
            inner: Arc::new(TestTime {
                wall_start,
                monotonic_start: Instant::now(),
                elapsed: Mutex::new(Duration::ZERO),
            }),
        }
    }

    /// Moves both clocks forward by `by`.
    pub fn advance(&self, by: Duration) {
        *self.elapsed() += by;
    }

    fn elapsed(&self) -> std::sync::MutexGuard<'_, Duration> {
        self.inner
            .elapsed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for TestClock {
    /// Starts at a round moment (2026-01-01T00:00:00Z) that is easy to recognise in a failing assertion.
    fn default() -> Self {
        Self::at(DateTime::from_timestamp(1_767_225_600, 0).expect("a constant in chrono's range"))
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        let elapsed = TimeDelta::from_std(*self.elapsed())
            .expect("a test does not advance by more than chrono's range");
        self.inner.wall_start + elapsed
    }

    fn monotonic(&self) -> Instant {
        self.inner.monotonic_start + *self.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_clock_stands_still_until_it_is_moved_and_its_clones_move_with_it() {
        let clock = TestClock::default();
        let (wall, mono) = (clock.now(), clock.monotonic());
        assert_eq!((clock.now(), clock.monotonic()), (wall, mono));
        clock.clone().advance(Duration::from_secs(90));
        assert_eq!(clock.now() - wall, TimeDelta::seconds(90));
        assert_eq!(clock.monotonic() - mono, Duration::from_secs(90));
    }
}
