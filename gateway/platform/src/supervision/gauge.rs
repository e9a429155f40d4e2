//! A mailbox's gauge: how many messages wait or are being handled, the age of the oldest, and how many were handled.
//! ractor's mailboxes are unbounded and have no length. So the gauge counts where messages enter (the address that
//! sends) and where they leave (the adapter that handles). If a bound is set, the sending side also refuses messages.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::SharedClock;

/// The gauge of one incarnation of one actor.
#[derive(Debug)]
pub(super) struct Gauge {
    bound: Option<usize>,
    clock: SharedClock,
    /// The send times of the messages that are not done yet, oldest first.
    open: Mutex<VecDeque<Instant>>,
    handled: AtomicU64,
}

/// One reading of a gauge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reading {
    pub(super) open: usize,
    pub(super) oldest: Option<Duration>,
    pub(super) handled: u64,
}

impl Gauge {
    pub(super) fn new(bound: Option<usize>, clock: SharedClock) -> Self {
        Self {
            bound,
            clock,
            open: Mutex::default(),
            handled: AtomicU64::new(0),
        }
    }

    /// Admits one message. If the mailbox is full, returns its bound.
    pub(super) fn admit(&self) -> Result<(), usize> {
        let now = self.clock.monotonic();
        let mut open = self.open();
        if let Some(bound) = self.bound.filter(|bound| open.len() >= *bound) {
            return Err(bound);
        }
        open.push_back(now);
        Ok(())
    }

    /// Reverts an admission after the message could not be delivered.
    pub(super) fn retract(&self) {
        self.open().pop_back();
    }

    /// Counts one message as done.
    pub(super) fn done(&self) {
        self.open().pop_front();
        self.handled.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Reading {
        let now = self.clock.monotonic();
        let open = self.open();
        Reading {
            open: open.len(),
            oldest: open
                .front()
                .map(|sent| now.saturating_duration_since(*sent)),
            handled: self.handled.load(Ordering::Relaxed),
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, VecDeque<Instant>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::TestClock;

    #[test]
    fn the_oldest_open_message_gives_the_age_and_a_full_mailbox_says_its_bound() {
        let clock = TestClock::default();
        let gauge = Gauge::new(Some(2), Arc::new(clock.clone()));
        let second = Duration::from_secs(1);
        assert_eq!(gauge.admit(), Ok(()));
        clock.advance(second);
        assert_eq!(gauge.admit(), Ok(()));
        clock.advance(second);
        assert_eq!(gauge.admit(), Err(2));
        assert_eq!(
            gauge.read(),
            Reading {
                open: 2,
                oldest: Some(second * 2),
                handled: 0
            }
        );
        gauge.done();
        assert_eq!(
            gauge.read(),
            Reading {
                open: 1,
                oldest: Some(second),
                handled: 1
            }
        );
        gauge.retract();
        assert_eq!(
            gauge.read(),
            Reading {
                open: 0,
                oldest: None,
                handled: 1
            }
        );
    }
}
