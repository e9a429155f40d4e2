//! The queues between a link's task and the readers of single operations.
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_protocol::guest::{FromGuest, ToGuest};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::output::Piece;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::GuestHello;
use super::resume::{Resume, Verdict};

/// Bytes that wait for one reader before it is disconnected: more than any sensible credit.
const MOST_WAITING: usize = 8 << 20;
/// Size of a message beside its bytes.
const OVERHEAD: usize = 128;

/// The queue of one operation.
#[derive(Default)]
pub(super) struct Lane {
    state: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Default)]
struct Waiting {
    queue: VecDeque<FromGuest>,
    bytes: usize,
    closed: bool,
}

impl Lane {
    pub(super) async fn pop(&self) -> Option<FromGuest> {
        loop {
            {
                let mut state = lock(&self.state);
                if let Some(message) = state.queue.pop_front() {
                    state.bytes -= weight(&message).min(state.bytes);
                    return Some(message);
                }
                if state.closed {
                    return None;
                }
            }
            self.wake.notified().await;
        }
    }

    fn push(&self, message: FromGuest) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        state.bytes += weight(&message);
        if state.bytes > MOST_WAITING {
            state.closed = true;
        } else if let Some(message) = merged(state.queue.back_mut(), message) {
            state.queue.push_back(message);
        } else {
            state.bytes -= OVERHEAD;
        }
        drop(state);
        self.wake.notify_one();
    }

    fn close(&self) {
        lock(&self.state).closed = true;
        self.wake.notify_one();
    }
}

fn weight(message: &FromGuest) -> usize {
    match message {
        FromGuest::Output {
            piece: Piece::Data { data, .. },
            ..
        } => OVERHEAD + data.len(),
        _ => OVERHEAD,
    }
}

/// Joins small adjacent messages, so that a program that writes byte by byte needs few messages.
fn merged(last: Option<&mut FromGuest>, message: FromGuest) -> Option<FromGuest> {
    if let (
        Some(FromGuest::Output {
            piece:
                Piece::Data {
                    stream,
                    offset,
                    data,
                },
            ..
        }),
        FromGuest::Output {
            piece:
                Piece::Data {
                    stream: next_stream,
                    offset: next_offset,
                    data: next,
                },
            ..
        },
    ) = (last, &message)
        && stream == next_stream
        && *offset + data.len() as u64 == *next_offset
        && data.len() + next.len() <= MAX_CHUNK_BYTES
    {
        data.extend_from_slice(next);
        return None;
    }
    Some(message)
}

/// All queues of a link, and the callers that wait for a hello.
#[derive(Default)]
pub(super) struct Lanes {
    closed: AtomicBool,
    /// Wakes the task when this side closes the link.
    pub(super) closing: Notify,
    /// When the guest last sent a message.
    last_message: Mutex<Option<Instant>>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    operations: HashMap<OperationId, (Arc<Lane>, Resume)>,
    hellos: HashMap<u64, oneshot::Sender<GuestHello>>,
}

impl Lanes {
    pub(super) fn open(&self, operation: OperationId) -> Arc<Lane> {
        let lane = Arc::new(Lane::default());
        if self.is_closed() {
            lane.close();
            return lane;
        }
        let mut table = lock(&self.table);
        match table.operations.get_mut(&operation) {
            // A second reader continues where the first one was: offsets and sent messages are kept.
            Some((held, _)) => {
                held.close();
                *held = Arc::clone(&lane);
            }
            None => {
                table
                    .operations
                    .insert(operation, (Arc::clone(&lane), Resume::default()));
            }
        }
        lane
    }

    /// The reader is gone.
    pub(super) fn shut(&self, operation: OperationId, lane: &Arc<Lane>) {
        let mut table = lock(&self.table);
        if table
            .operations
            .get(&operation)
            .is_some_and(|(held, _)| Arc::ptr_eq(held, lane))
        {
            table.operations.remove(&operation);
        }
    }

    pub(super) fn note_sent(&self, message: &ToGuest) {
        let operation = match message {
            ToGuest::Start { operation, .. }
            | ToGuest::Stdin { operation, .. }
            | ToGuest::Credit { operation, .. }
            | ToGuest::Replay { operation, .. }
            | ToGuest::Resize { operation, .. }
            | ToGuest::Cancel { operation }
            | ToGuest::Forget { operation } => operation,
            ToGuest::Hello { .. } | ToGuest::Unknown => return,
        };
        if let Some((_, resume)) = lock(&self.table).operations.get_mut(operation) {
            resume.note_sent(message);
        }
    }

    /// Passes a message to its reader; returns the request to the guest that follows from it.
    pub(super) fn take(&self, message: FromGuest) -> Option<ToGuest> {
        *lock(&self.last_message) = Some(Instant::now());
        let operation = match &message {
            FromGuest::Hello {
                nonce,
                instance,
                processes,
            } => {
                if let Some(waiting) = lock(&self.table).hellos.remove(nonce) {
                    // The caller may have given up: then nobody needs the answer.
                    let _ = waiting.send(GuestHello {
                        instance: *instance,
                        processes: processes.clone(),
                    });
                }
                return None;
            }
            FromGuest::Started { operation }
            | FromGuest::NotStarted { operation, .. }
            | FromGuest::Output { operation, .. }
            | FromGuest::StdinTaken { operation, .. }
            | FromGuest::Exited { operation, .. }
            | FromGuest::NoSuch { operation } => *operation,
            FromGuest::Unknown => return None,
        };
        let mut table = lock(&self.table);
        let (lane, resume) = table.operations.get_mut(&operation)?;
        match resume.take(operation, message) {
            Verdict::Pass(message) => {
                lane.push(message);
                None
            }
            Verdict::Drop => None,
            Verdict::Ask(question) => Some(question),
        }
    }

    /// Whether the guest sent a message within this time.
    pub(super) fn active_within(&self, time: Duration) -> bool {
        lock(&self.last_message).is_some_and(|last_message| last_message.elapsed() < time)
    }

    /// Everything that must be sent again after a re-attach.
    pub(super) fn resend(&self) -> Vec<ToGuest> {
        let mut table = lock(&self.table);
        let mut messages: Vec<_> = table
            .hellos
            .keys()
            .map(|&nonce| ToGuest::Hello { nonce })
            .collect();
        for (operation, (_, resume)) in &mut table.operations {
            messages.extend(resume.resend(*operation));
        }
        messages
    }

    pub(super) fn await_hello(&self, nonce: u64, answer: oneshot::Sender<GuestHello>) -> bool {
        if self.is_closed() {
            return false;
        }
        lock(&self.table).hellos.insert(nonce, answer);
        true
    }

    pub(super) fn forget_hello(&self, nonce: u64) {
        lock(&self.table).hellos.remove(&nonce);
    }

    /// Whether a caller waits for the guest.
    pub(super) fn is_busy(&self) -> bool {
        let table = lock(&self.table);
        !table.operations.is_empty() || !table.hellos.is_empty()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let mut table = lock(&self.table);
        for (_, (lane, _)) in table.operations.drain() {
            lane.close();
        }
        table.hellos.clear();
        drop(table);
        self.closing.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds this lock, and a queue is valid after every line.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
