//! The output of one operation: stored first, then sent within credit. The end is sent after the output, and again
//! after each replay, because the gateway may have received more than a power cut left here.
use std::sync::{Arc, Mutex, PoisonError};

use roost_protocol::ids::OperationId;
use roost_protocol::limits::{KEPT_OUTPUT_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::output::{Next, Sender};
use roost_protocol::output::{OutputChunk, Piece};
use roost_protocol::report::{Ended, OperationReport, Report};
use tokio::sync::Notify;

use super::chaos::KillPoint;
use super::event::Event;
use super::session::Session;
use super::shared::Shared;
use super::spool::Spool;

/// One operation's output.
pub struct Stream {
    operation: OperationId,
    state: Mutex<State>,
    wake: Notify,
}

struct State {
    spool: Spool,
    sender: Sender,
    /// Number of sessions served. The sender of an earlier session stops reading: its data would be lost.
    turn: u64,
    end: Option<Ended>,
    /// The end still has to be sent.
    unreported: bool,
    acked: bool,
}

impl Stream {
    /// The stream of a new command. It may be sent at once.
    pub fn new(operation: OperationId, spool: Spool) -> Self {
        Self::with(operation, spool, Sender::new(MAX_STREAMED_BYTES))
    }

    /// A stream that was found on disk. It waits for a replay.
    pub fn found(operation: OperationId, spool: Spool) -> Self {
        let sender = Sender::restore(MAX_STREAMED_BYTES, 0, spool.end(), 0);
        Self::with(operation, spool, sender)
    }

    /// As [`found`](Self::found), for an ended operation. Bytes that its spool has lost are sent as a gap.
    pub fn found_over(operation: OperationId, spool: Spool, ended: Ended, acked: bool) -> Self {
        let stream = Self::found(operation, spool);
        stream.change(|state| {
            state.sender.ended_at(ended.output_end);
            state.end = Some(ended);
            state.acked = acked;
        });
        stream
    }

    fn with(operation: OperationId, spool: Spool, sender: Sender) -> Self {
        let state = State {
            spool,
            sender,
            turn: 0,
            end: None,
            unreported: false,
            acked: false,
        };
        Self {
            operation,
            state: Mutex::new(state),
            wake: Notify::new(),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let out = change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_one();
        out
    }

    /// Stores a piece from the guest; returns the offset after the stored bytes.
    pub fn store(&self, piece: &Piece) -> u64 {
        self.change(|state| {
            state.spool.append(piece);
            let end = state.spool.end();
            state.sender.write(end.saturating_sub(state.sender.end()));
            end
        })
    }

    /// Offset after the last stored byte.
    pub fn end(&self) -> u64 {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .spool
            .end()
    }

    /// The session is gone.
    pub fn detach(&self) {
        self.change(|state| state.sender.detach());
    }

    pub fn credit(&self, up_to: u64) {
        self.change(|state| state.sender.credit(up_to));
    }

    pub fn replay(&self, from: u64) {
        self.change(|state| {
            state.sender.replay(from);
            state.unreported |= state.end.is_some();
        });
    }

    /// The operation ended. The end is sent after the output, or at once when no more output may be sent.
    pub fn ended(&self, ended: Ended) {
        self.change(|state| {
            state.sender.ended_at(ended.output_end);
            state.end = Some(ended);
            state.unreported = true;
        });
    }

    /// The gateway stored the end. Output that it has already read need not be kept whole.
    pub fn acked(&self) {
        self.change(|state| state.acked = true);
    }

    /// Starts a sender and stops an earlier one.
    fn serve(&self) -> u64 {
        self.change(|state| {
            state.turn = state.turn.saturating_add(1);
            state.turn
        })
    }

    fn next(&self, turn: u64) -> Step {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.turn != turn {
            return Step::Over;
        }
        let piece = match state.sender.next() {
            Some(Next::Data { offset, most }) => {
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                // The spool lost bytes: report a gap to the reader instead of waiting.
                let missing = || Piece::Gap {
                    from: offset,
                    to: state.sender.end(),
                };
                let read = state.spool.read(offset, most);
                read.map(|piece| Some(piece.unwrap_or_else(missing)))
            }
            Some(Next::Gap { from, to }) => Ok(Some(Piece::Gap { from, to })),
            None => Ok(None),
        };
        match piece {
            Ok(Some(piece)) => {
                state.sender.sent(piece.end());
                return Step::Send(piece);
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(operation = %self.operation, %error, "cannot read a spool; its content becomes a gap");
                let (from, to) = (state.sender.kept_from(), state.sender.end());
                state.sender.trim(to);
                state.sender.sent(to);
                return Step::Send(Piece::Gap { from, to });
            }
        }
        if std::mem::take(&mut state.unreported)
            && let Some(ended) = &state.end
        {
            return Step::Tell(ended.clone());
        }
        if state.end.is_some() && state.acked && state.sender.drained() {
            if let Err(error) = state.spool.trim(KEPT_OUTPUT_BYTES) {
                tracing::warn!(operation = %self.operation, %error, "cannot trim a spool");
            }
            return Step::Done;
        }
        Step::Wait
    }
}

enum Step {
    Send(Piece),
    Tell(Ended),
    Wait,
    Done,
    /// Another session is served now.
    Over,
}

/// Sends a stream to a session until either ends.
pub fn pump(shared: &Arc<Shared>, stream: Arc<Stream>, session: Session) {
    let shared = Arc::clone(shared);
    let tasks = shared.tasks.clone();
    let turn = stream.serve();
    tasks.spawn(async move {
        loop {
            let event = match stream.next(turn) {
                Step::Send(piece) => {
                    KillPoint::ExecOutput.pass();
                    Event::Output(OutputChunk {
                        operation: stream.operation,
                        piece,
                    })
                }
                Step::Tell(ended) => Event::Report(OperationReport {
                    operation: stream.operation,
                    report: Report::Ended(ended),
                }),
                Step::Wait => {
                    tokio::select! {
                        () = stream.wake.notified() => continue,
                        () = session.closed() => return,
                    }
                }
                Step::Done => {
                    let mut in_flight = shared.in_flight();
                    let kept = in_flight.streams.get(&stream.operation);
                    // A later session may have opened a new stream.
                    if kept.is_some_and(|kept| Arc::ptr_eq(kept, &stream)) {
                        in_flight.streams.remove(&stream.operation);
                    }
                    return;
                }
                Step::Over => return,
            };
            if !session.send(event).await {
                return;
            }
        }
    });
}
