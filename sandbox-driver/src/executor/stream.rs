//! The output of one operation on its way: stored first, then sent within credit, its end told behind it.
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
    /// An end that this session was not told yet.
    untold: Option<Ended>,
    over: bool,
    acked: bool,
}

impl Stream {
    /// The stream of a new command: it may be sent at once.
    pub fn new(operation: OperationId, spool: Spool) -> Self {
        Self::with(operation, spool, Sender::new(MAX_STREAMED_BYTES), false)
    }

    /// A stream that was on disk: it waits for a replay.
    pub fn found(operation: OperationId, spool: Spool, over: bool) -> Self {
        let sender = Sender::restore(MAX_STREAMED_BYTES, 0, spool.end(), 0);
        Self::with(operation, spool, sender, over)
    }

    fn with(operation: OperationId, spool: Spool, sender: Sender, over: bool) -> Self {
        let state = State {
            spool,
            sender,
            untold: None,
            over,
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

    /// Stores a piece from the guest; gives the offset after what is stored.
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
        self.change(|state| state.sender.replay(from));
    }

    /// The operation ended: told behind the output, or at once when no more output may be sent.
    pub fn ended(&self, ended: Ended) {
        self.change(|state| {
            state.untold = Some(ended);
            state.over = true;
        });
    }

    /// The gateway stored the end; what it read already need not be kept whole.
    pub fn acked(&self) {
        self.change(|state| state.acked = true);
    }

    fn next(&self) -> Step {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = match state.sender.next() {
            Some(Next::Data { offset, most }) => state
                .spool
                .read(offset, usize::try_from(most).unwrap_or(usize::MAX)),
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
                tracing::error!(operation = %self.operation, %error, "a spool cannot be read; what it held is a gap");
                let (from, to) = (state.sender.kept_from(), state.sender.end());
                state.sender.trim(to);
                state.sender.sent(to);
                return Step::Send(Piece::Gap { from, to });
            }
        }
        if let Some(ended) = state.untold.take() {
            return Step::Tell(ended);
        }
        if state.over && state.acked && state.sender.drained() {
            if let Err(error) = state.spool.trim(KEPT_OUTPUT_BYTES) {
                tracing::warn!(operation = %self.operation, %error, "a spool could not be trimmed");
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
}

/// Sends a stream to a session until either is over.
pub fn pump(shared: &Arc<Shared>, stream: Arc<Stream>, session: Session) {
    let shared = Arc::clone(shared);
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        loop {
            let event = match stream.next() {
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
                    shared.desk().streams.remove(&stream.operation);
                    return;
                }
            };
            if !session.tell(event).await {
                return;
            }
        }
    });
}
