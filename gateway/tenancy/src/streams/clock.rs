//! One timer for all streams: their heartbeats, the end of their time, the end of their authority and the stop of the
//! gateway. A stream has no timer of its own, because ten thousand of them would each cost memory and wake-ups.
//!
//! Parent: `foundation`. Children: none. Restart: permanent; the streams stay registered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::phase::Input;
use super::send_queue::SendQueue;
use crate::auth::{OpenStreams, StreamHold};
use roost_web::sse;

/// The precision of the timer. A heartbeat is at most half of it early or late. A stream ends at most this much early.
const TICK: Duration = Duration::from_secs(1);
/// How long a client may take what waited when its stream's time was over.
const LINGER: Duration = Duration::from_secs(30);

/// The streams that the timer serves. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct StreamClock {
    streams: Arc<Mutex<Streams>>,
}

#[derive(Default)]
struct Streams {
    timed: Vec<Option<Timed>>,
    free: Vec<u32>,
}

/// The times and the authority of a stream.
pub(super) struct Timing {
    pub(super) beat_every: Duration,
    pub(super) ends: Instant,
    /// The authority that opened the stream.
    pub(super) hold: Option<StreamHold>,
}

struct Timed {
    queue: SendQueue,
    next_beat: Instant,
    timing: Timing,
    told: Told,
}

/// What the stream was told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    TimeIsOver,
    /// Nothing more follows.
    Last,
}

/// A stream's place in the clock. It is returned on drop.
pub(super) struct Registered {
    clock: StreamClock,
    place: u32,
}

impl StreamClock {
    /// Serves a stream from now on.
    pub(super) fn register(&self, queue: SendQueue, timing: Timing) -> Registered {
        let over = timing.hold.as_ref().is_some_and(StreamHold::is_over);
        let reports = queue.clone();
        let timed = Timed {
            queue,
            next_beat: Instant::now() + timing.beat_every,
            timing,
            told: Told::Nothing,
        };
        let mut streams = self.lock();
        let place = match streams.free.pop() {
            Some(place) => {
                streams.timed[place as usize] = Some(timed);
                place
            }
            None => {
                streams.timed.push(Some(timed));
                u32::try_from(streams.timed.len() - 1).expect("fewer streams than 2^32")
            }
        };
        // An authority that ends from here on is found by the worker.
        drop(streams);
        if over {
            reports.report(Input::AuthorityEnded);
        }
        Registered {
            clock: self.clone(),
            place,
        }
    }

    /// The worker's loop.
    pub(super) async fn run(&self, open: &OpenStreams, draining: &CancellationToken) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => self.tick(Instant::now()),
                () = open.some_ended() => self.end_unauthorised(),
                () = draining.cancelled() => {
                    self.tell_all(Input::GatewayStops);
                    return std::future::pending().await;
                }
            }
        }
    }

    /// Sends the heartbeats that are due, and ends the streams whose time is over.
    pub(super) fn tick(&self, now: Instant) {
        for timed in self.lock().timed.iter_mut().flatten() {
            if now + TICK / 2 >= timed.next_beat {
                timed.queue.offer_heartbeat(sse::beat());
                timed.next_beat += timed.timing.beat_every;
            }
            if now + TICK >= timed.timing.ends {
                let (input, told) = match timed.told {
                    Told::Nothing => (Input::TimeIsOver, Told::TimeIsOver),
                    Told::TimeIsOver => (Input::LingerIsOver, Told::Last),
                    Told::Last => continue,
                };
                timed.told = told;
                timed.timing.ends = now + LINGER;
                timed.queue.report(input);
            }
        }
    }

    fn end_unauthorised(&self) {
        for timed in self.lock().timed.iter_mut().flatten() {
            if timed.timing.hold.as_ref().is_some_and(StreamHold::is_over) {
                timed.queue.report(Input::AuthorityEnded);
            }
        }
    }

    pub(super) fn tell_all(&self, input: Input) {
        for timed in self.lock().timed.iter().flatten() {
            timed.queue.report(input);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().timed.iter().flatten().count()
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        // Nothing panics while it holds this lock. If it did, the streams would still be valid.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut streams = self.clock.lock();
        let timed = streams.timed[self.place as usize].take();
        streams.free.push(self.place);
        if streams.free.len() == streams.timed.len() {
            // The memory of a crowd is released.
            *streams = Streams::default();
        }
        drop(streams);
        // After the lock, because it takes another one.
        drop(timed);
    }
}
