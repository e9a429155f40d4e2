//! Wakes a large number of receivers in batches. An event for a thousand connections makes a thousand tasks ready at
//! once. Other work of the gateway would wait behind all of their writes: each step of a request, the commit of the
//! next event. So a few are woken at once, and a worker wakes the rest and yields between the batches. Later events
//! queue up for the receivers that still sleep, and go out in one write.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use crate::supervision::Nudge;

/// The size of a batch: about as many tasks as the runtime runs before it polls its sockets again.
const BATCH: usize = 64;

/// The wakers of one event.
pub(super) type Woken = Vec<Waker>;

/// Receivers that wait for a later batch. Cheap to clone.
#[derive(Clone, Default)]
pub struct WakeBatches {
    waiting: Arc<Mutex<VecDeque<Waker>>>,
    nudge: Nudge,
}

impl WakeBatches {
    /// How often the worker runs without a nudge. It is nudged whenever there is work.
    pub const PERIOD: Duration = Duration::from_secs(1);

    /// Wakes the first batch now and leaves the rest to the worker.
    pub(super) fn wake(&self, mut woken: Woken) {
        let rest = woken.split_off(woken.len().min(BATCH));
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
        while self.wake_batch() {
            tokio::task::yield_now().await;
        }
    }

    fn wake_batch(&self) -> bool {
        let part: Vec<Waker> = {
            let mut waiting = self.waiting();
            let count = waiting.len().min(BATCH);
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
    async fn first_batch_is_woken_at_once_and_the_rest_by_the_worker() {
        let (batches, count) = (WakeBatches::default(), Arc::new(Count::default()));
        let awake = || count.0.load(Ordering::Relaxed);
        let crowd = |size| vec![Waker::from(count.clone()); size];
        batches.wake(crowd(BATCH));
        assert_eq!(awake(), BATCH);
        assert!(!batches.nudge().take(), "nobody is left");
        batches.wake(crowd(3 * BATCH + 1));
        assert_eq!(awake(), 2 * BATCH);
        assert!(batches.nudge().take());
        batches.wake_rest().await;
        assert_eq!(awake(), 4 * BATCH + 1);
    }

    #[tokio::test]
    async fn other_tasks_run_between_batches() {
        let (batches, count) = (WakeBatches::default(), Arc::new(Count::default()));
        batches.wake(vec![Waker::from(count.clone()); 4 * BATCH]);
        let other = async {
            let mut seen = Vec::new();
            for _ in 0..3 {
                seen.push(count.0.load(Ordering::Relaxed) / BATCH);
                tokio::task::yield_now().await;
            }
            seen
        };
        let ((), seen) = tokio::join!(biased; batches.wake_rest(), other);
        assert_eq!(seen, [2, 3, 4]);
    }
}
