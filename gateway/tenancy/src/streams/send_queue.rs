//! The queue between a stream's sender and its connection, bounded in count and bytes. The sender waits for room, or
//! skips the frame. The connection takes several frames at once. The queue also knows how far behind the connection is.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use futures::Stream;
use tokio::sync::Notify;

use super::phase::Input;
use roost_platform::events::EventId;
use roost_platform::supervision::Lag;

/// The most frames that wait for one connection.
const MOST_FRAMES: usize = 1_024;
/// The most bytes that wait for one connection. A single frame may be larger, and then waits alone.
const MOST_BYTES: usize = 256 << 10;
/// Small frames are joined up to this size, because a write to a socket costs more than a copy.
const JOINED: usize = 16 << 10;

/// The connection is gone or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// The queue has no room now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// The sender's end of the queue. Cheap to clone.
#[derive(Clone)]
pub struct SendQueue {
    shared: Arc<Shared>,
}

/// The connection's end of the queue. It is dropped when the client is gone.
pub(super) struct SendQueueReader {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Signals that there is room again, or that the connection is gone.
    room: Notify,
}

#[derive(Default)]
struct State {
    frames: VecDeque<Frame>,
    bytes: usize,
    reader: Option<Waker>,
    /// The reader still has bytes to write. Only a cut concerns it.
    busy: bool,
    /// Reports to the stream's actor, while it lives.
    reports: Option<Reports>,
    /// No more frames are accepted.
    over: bool,
    /// Nothing more may be sent, not even what the reader has taken.
    cut: bool,
    gone: bool,
    /// The newest event for this connection.
    newest: i64,
    /// The newest event that the connection took, or that its filter excludes.
    taken: i64,
}

type Reports = Arc<dyn Fn(Input) + Send + Sync>;

struct Frame {
    bytes: Bytes,
    /// The event that counts as taken when this frame is taken.
    event: Option<i64>,
}

/// A new queue.
pub(super) fn pair() -> (SendQueue, SendQueueReader) {
    let shared = Arc::<Shared>::default();
    let reader = SendQueueReader {
        shared: shared.clone(),
    };
    (SendQueue { shared }, reader)
}

impl SendQueue {
    /// Puts a frame into the queue as soon as there is room. Cancel-safe.
    ///
    /// # Errors
    /// When the connection is gone or ended.
    pub async fn send(&self, bytes: Bytes) -> Result<(), Gone> {
        self.put(Frame { bytes, event: None }).await
    }

    /// As [`send`](Self::send), for an event of the log.
    ///
    /// # Errors
    /// When the connection is gone or ended.
    pub(super) async fn send_event(&self, id: EventId, bytes: Bytes) -> Result<(), Gone> {
        let event = Some(id.seq);
        self.put(Frame { bytes, event }).await
    }

    async fn put(&self, frame: Frame) -> Result<(), Gone> {
        loop {
            {
                let mut state = self.shared.lock();
                if state.gone || state.over {
                    return Err(Gone);
                }
                if state.has_room(frame.bytes.len()) {
                    let reader = state.push(frame);
                    drop(state);
                    wake(reader);
                    return Ok(());
                }
            }
            self.shared.room.notified().await;
        }
    }

    /// Puts an event into the queue if there is room now. Returns the waker of a reader that waits.
    ///
    /// # Errors
    /// When there is no room.
    pub(super) fn offer_event(&self, id: EventId, bytes: &Bytes) -> Result<Option<Waker>, Full> {
        let mut state = self.shared.lock();
        if !state.has_room(bytes.len()) {
            return Err(Full);
        }
        state.newest = state.newest.max(id.seq);
        Ok(state.push(Frame {
            bytes: bytes.clone(),
            event: Some(id.seq),
        }))
    }

    /// Puts a heartbeat into an empty queue. In a queue with frames it is not needed.
    pub(super) fn offer_heartbeat(&self, bytes: Bytes) {
        let mut state = self.shared.lock();
        let reader = match state.frames.is_empty() {
            true => state.push(Frame { bytes, event: None }),
            false => None,
        };
        drop(state);
        wake(reader);
    }

    /// The connection's filter excludes this event: it counts as taken, after the frames before it.
    pub(super) fn skip_event(&self, id: EventId) {
        let mut state = self.shared.lock();
        state.newest = state.newest.max(id.seq);
        match state.frames.back_mut() {
            Some(frame) => frame.event = Some(id.seq),
            None => state.taken = id.seq,
        }
    }

    /// Sets the position at which the connection begins.
    pub(super) fn start_at(&self, id: EventId) {
        let mut state = self.shared.lock();
        (state.newest, state.taken) = (id.seq, id.seq);
    }

    /// Records that events up to this one exist.
    pub(super) fn note_newest(&self, id: EventId) {
        let mut state = self.shared.lock();
        state.newest = state.newest.max(id.seq);
    }

    /// Waits until half of the queue is free. Cancel-safe.
    ///
    /// # Errors
    /// When the connection is gone or ended.
    pub(super) async fn wait_half_empty(&self) -> Result<(), Gone> {
        self.at_most(MOST_FRAMES / 2, MOST_BYTES / 2).await
    }

    /// Waits until the connection has taken all frames. Cancel-safe.
    ///
    /// # Errors
    /// When the connection is gone or ended.
    pub async fn drained(&self) -> Result<(), Gone> {
        self.at_most(0, 0).await
    }

    async fn at_most(&self, frames: usize, bytes: usize) -> Result<(), Gone> {
        loop {
            {
                let state = self.shared.lock();
                if state.gone || state.over {
                    return Err(Gone);
                }
                if state.frames.len() <= frames && state.bytes <= bytes {
                    return Ok(());
                }
            }
            self.shared.room.notified().await;
        }
    }

    /// Reports to the stream's actor from now on. Returns whether the connection is gone already.
    pub(super) fn report_to(&self, actor: impl Fn(Input) + Send + Sync + 'static) -> bool {
        let mut state = self.shared.lock();
        state.reports = Some(Arc::new(actor));
        state.gone
    }

    /// The actor has ended. Its address must not stay here, because its row in the roster holds this queue.
    pub(super) fn report_to_nobody(&self) {
        let before = self.shared.lock().reports.take();
        drop(before);
    }

    /// Reports to the stream's actor. Before the actor lives, nothing happens: it checks the state when it starts.
    pub(super) fn report(&self, input: Input) {
        let reports = self.shared.lock().reports.clone();
        if let Some(report) = reports {
            report(input);
        }
    }

    /// Accepts no more frames. The connection may still take waiting frames.
    pub(super) fn end(&self) {
        self.finish(false);
    }

    /// Accepts no more frames, and discards waiting frames.
    pub(super) fn discard(&self) {
        self.finish(true);
    }

    fn finish(&self, at_once: bool) {
        let mut state = self.shared.lock();
        state.over = true;
        if at_once {
            state.cut = true;
            state.frames = VecDeque::new();
            state.bytes = 0;
        }
        let reader = state.reader.take();
        drop(state);
        self.shared.room.notify_one();
        wake(reader);
    }

    /// How far behind the connection is.
    pub(super) fn lag(&self) -> Lag {
        let state = self.shared.lock();
        Lag {
            events: u64::try_from(state.newest - state.taken).unwrap_or(0),
            waiting: state.frames.len() as u64,
            bytes: state.bytes as u64,
        }
    }
}

impl State {
    fn has_room(&self, bytes: usize) -> bool {
        self.frames.is_empty()
            || (self.frames.len() < MOST_FRAMES && self.bytes + bytes <= MOST_BYTES)
    }

    /// Adds a frame. Returns the waker of a waiting reader, for the caller to wake.
    fn push(&mut self, frame: Frame) -> Option<Waker> {
        if self.over || self.gone {
            return None;
        }
        self.bytes += frame.bytes.len();
        self.frames.push_back(frame);
        match self.busy {
            true => None,
            false => self.reader.take(),
        }
    }

    fn wait(&mut self, cx: &Context<'_>, busy: bool) {
        self.busy = busy;
        match &mut self.reader {
            Some(reader) => reader.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }

    fn take(&mut self) -> Option<Bytes> {
        let frame = self.frames.pop_front()?;
        self.bytes -= frame.bytes.len();
        self.taken = frame.event.unwrap_or(self.taken);
        Some(frame.bytes)
    }

    /// The next bytes: a large frame as it is, shared by all subscribers, or many small frames joined into one copy.
    fn take_some(&mut self) -> Option<Bytes> {
        let next = self.frames.get(1).map_or(0, |frame| frame.bytes.len());
        let first = self.take()?;
        if next == 0 || first.len() + next > JOINED {
            return Some(first);
        }
        let mut joined = BytesMut::with_capacity(JOINED.min(first.len() + self.bytes));
        joined.extend_from_slice(&first);
        while self
            .frames
            .front()
            .is_some_and(|frame| joined.len() + frame.bytes.len() <= JOINED)
        {
            if let Some(bytes) = self.take() {
                joined.extend_from_slice(&bytes);
            }
        }
        Some(joined.freeze())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds this lock. If it did, the queue would still be valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake(reader: Option<Waker>) {
    if let Some(reader) = reader {
        reader.wake();
    }
}

impl SendQueueReader {
    /// The next bytes: several frames together where they are small. `None`: the stream is over.
    pub(super) fn poll_frames(&mut self, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.shared.lock();
        let Some(bytes) = state.take_some() else {
            if state.over {
                return Poll::Ready(None);
            }
            state.wait(cx, false);
            return Poll::Pending;
        };
        if state.frames.is_empty() {
            // Most connections wait most of the time, so the memory of a burst is released.
            state.frames = VecDeque::new();
        }
        drop(state);
        self.shared.room.notify_one();
        Poll::Ready(Some(bytes))
    }

    /// Whether nothing more may be sent. Otherwise a cut wakes the caller, which still has bytes to write.
    pub(super) fn is_cut(&self, cx: &Context<'_>) -> bool {
        let mut state = self.shared.lock();
        if !state.cut {
            state.wait(cx, true);
        }
        state.cut
    }
}

impl Stream for SendQueueReader {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.poll_frames(cx)
    }
}

impl Drop for SendQueueReader {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.gone = true;
        state.frames = VecDeque::new();
        state.bytes = 0;
        let reports = state.reports.clone();
        drop(state);
        self.shared.room.notify_one();
        if let Some(report) = reports {
            report(Input::ConnectionGone);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt};

    use super::*;

    fn id(seq: i64) -> EventId {
        EventId { epoch: 1, seq }
    }

    #[tokio::test]
    async fn the_queue_is_bounded_in_count_and_in_bytes_and_one_large_frame_passes_alone() {
        let (queue, mut reader) = pair();
        let mut count = 0;
        while queue
            .offer_event(id(count + 1), &Bytes::from_static(b"x"))
            .is_ok()
        {
            count += 1;
        }
        assert_eq!(count, 1_024);
        assert_eq!(reader.next().await.unwrap().len(), 1_024, "joined");

        let large = Bytes::from(vec![b'x'; 100 << 10]);
        let offered = [2_000, 2_001, 2_002].map(|seq| queue.offer_event(id(seq), &large).is_ok());
        assert_eq!(offered, [true, true, false], "256 KiB");
        let mut sending = Box::pin(queue.send(large.clone()));
        assert!((&mut sending).now_or_never().is_none(), "it waits");
        reader.next().await.unwrap();
        sending.await.unwrap();

        let (queue, _intake) = pair();
        queue.send(Bytes::from(vec![b'x'; 1 << 20])).await.unwrap();
        let small = Bytes::from_static(b"x");
        assert_eq!(queue.offer_event(id(1), &small).err(), Some(Full));
    }

    #[tokio::test]
    async fn sleeping_receiver_is_returned_once_to_be_woken() {
        let (queue, mut reader) = pair();
        assert!(reader.next().now_or_never().is_none(), "it sleeps now");
        let offer = |seq| {
            queue
                .offer_event(id(seq), &Bytes::from_static(b"x"))
                .unwrap()
        };
        assert!(offer(1).is_some());
        assert!(offer(2).is_none(), "somebody is about to wake it");
        assert_eq!(reader.next().await.unwrap(), "xx");
        assert!(offer(3).is_none(), "it did not sleep again");
    }

    #[tokio::test]
    async fn the_lag_counts_events_and_bytes_until_they_are_taken() {
        let (queue, mut reader) = pair();
        queue.start_at(id(10));
        assert_eq!(queue.lag(), Lag::default());
        for seq in 11..=13 {
            let four = Bytes::from_static(b"four");
            queue.offer_event(id(seq), &four).unwrap();
        }
        queue.skip_event(id(14));
        queue.note_newest(id(20));
        let lag = Lag {
            events: 10,
            waiting: 3,
            bytes: 12,
        };
        assert_eq!(queue.lag(), lag);
        reader.next().await.unwrap();
        assert_eq!(queue.lag().events, 6, "14 went with 13");
        queue.skip_event(id(20));
        assert_eq!(queue.lag(), Lag::default());
    }

    #[tokio::test]
    async fn an_end_lets_what_waits_be_taken_and_a_cut_does_not() {
        let (queue, mut reader) = pair();
        queue.send(Bytes::from_static(b"last")).await.unwrap();
        queue.end();
        assert_eq!(queue.send(Bytes::new()).await, Err(Gone));
        assert_eq!(reader.next().await.unwrap(), "last");
        assert_eq!(reader.next().await, None);

        let (queue, mut reader) = pair();
        queue.send(Bytes::from_static(b"secret")).await.unwrap();
        queue.discard();
        assert_eq!(reader.next().await, None);
    }

    #[tokio::test]
    async fn waiting_sender_fails_when_the_connection_closes() {
        let (queue, reader) = pair();
        let full = Bytes::from(vec![b'x'; 300 << 10]);
        queue.send(full.clone()).await.unwrap();
        let (sent, ()) = tokio::join!(queue.send(full), async {
            drop(reader);
        });
        assert_eq!(sent, Err(Gone));
        assert_eq!(queue.wait_half_empty().await, Err(Gone));
    }
}
