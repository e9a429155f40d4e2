//! Wakes a large number of receivers in batches. An event for a thousand connections makes a thousand tasks ready at
//! once. Other work of the gateway would wait behind all of their writes: each step of a request, the commit of the
//! next event. So a few are woken at once, and a worker wakes the rest and yields between the batches. Later events
//! queue up for the receivers that still sleep, and go out in one write.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use crate::platform::supervision::Nudge;

/// The size of a batch: about as many tasks as the runtime runs before it polls its sockets again.
const PART: usize = 64;

/// The wakers of one event.
pub(super) type Woken = Vec<Waker>;

/// Receivers that wait for a later batch. Cheap to clone.
#[derive(Clone, Default)]
pub struct Wakes {
    waiting: Arc<Mutex<VecDeque<Waker>>>,
    nudge: Nudge,
}

impl Wakes {
    /// How often the worker runs without a nudge. It is nudged whenever there is work.
    pub const PERIOD: Duration = Duration::from_secs(1);

    /// Wakes the first batch now and leaves the rest to the worker.
    pub(super) fn wake(&self, mut woken: Woken) {
        let rest = woken.split_off(woken.len().min(PART));
        woken.into_iter().for_each(Waker::wake);
        if !rest.is_empty() {
            self.waiting().extend(rest);
            self.nudge.nudge();
        }
    }

    /// Wakes the worker.
    pub fn nudge(&self) -> &Nudge {
        &self.nudge
    }

    /// The worker: wakes all waiting receivers in batches. None is lost when the worker is dropped between two batches.
    pub async fn wake_rest(&self) {
        while self.wake_part() {
            tokio::task::yield_now().await;
        }
    }

    fn wake_part(&self) -> bool {
        let part: Vec<Waker> = {
            let mut waiting = self.waiting();
            let count = waiting.len().min(PART);
            waiting.drain(..count).collect()
        };
        let any = !part.is_empty();
        part.into_iter().for_each(Waker::wake);
        any
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Waker>> {
        // Nothing panics while it holds this lock. If it did, the queue is still consistent.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn a_few_are_woken_at_once_and_a_crowd_by_the_worker() {
        let (wakes, count) = (Wakes::default(), Arc::new(Count::default()));
        let awake = || count.0.load(Ordering::Relaxed);
        let crowd = |size| vec![Waker::from(count.clone()); size];
        wakes.wake(crowd(PART));
        assert_eq!(awake(), PART);
        assert!(!wakes.nudge().take(), "nobody is left");
        wakes.wake(crowd(3 * PART + 1));
        assert_eq!(awake(), 2 * PART);
        assert!(wakes.nudge().take());
        wakes.wake_rest().await;
        assert_eq!(awake(), 4 * PART + 1);
    }

    #[tokio::test]
    async fn others_run_between_the_parts() {
        let (wakes, count) = (Wakes::default(), Arc::new(Count::default()));
        wakes.wake(vec![Waker::from(count.clone()); 4 * PART]);
        let other = async {
            let mut seen = Vec::new();
            for _ in 0..3 {
                seen.push(count.0.load(Ordering::Relaxed) / PART);
                tokio::task::yield_now().await;
            }
            seen
        };
        let ((), seen) = tokio::join!(biased; wakes.wake_rest(), other);
        assert_eq!(seen, [2, 3, 4]);
    }
}
