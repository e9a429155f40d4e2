//! The cheap handle through which an executor is driven.
use roost_protocol::control::Control;
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{
    Ended, ErrorKind, OperationError, OperationReport, Outcome, Report, Terminal,
};
use tokio::sync::mpsc;

use super::config::{ExecutorConfig, ExecutorError};
use super::event::{Event, Events};

/// Events of a session that may wait for their reader; output beyond that waits on disk.
const EVENT_BUFFER: usize = 64;

/// The executor: see [`Executor::start`].
#[derive(Debug)]
pub struct Executor;

impl Executor {
    /// Opens the state folder, recovers what was under way, and starts to work. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`ExecutorError`] when the state folder cannot be used. An engine that is away is no error: operations say so.
    pub async fn start(_config: ExecutorConfig) -> Result<(ExecutorHandle, Events), ExecutorError> {
        let (sender, receiver) = mpsc::channel(EVENT_BUFFER);
        Ok((ExecutorHandle { sender }, Events(receiver)))
    }
}

/// Drives an executor; clones are cheap.
#[derive(Clone, Debug)]
pub struct ExecutorHandle {
    sender: mpsc::Sender<Event>,
}

impl ExecutorHandle {
    /// Begins a new session: earlier [`Events`] end, output waits until a `Replay` says where to go on, and every end
    /// that was not acknowledged is reported again.
    pub fn attach(&self) -> Events {
        let (_, receiver) = mpsc::channel(EVENT_BUFFER);
        Events(receiver)
    }

    /// Takes an operation; what becomes of it comes as events. The same id starts at most once.
    pub fn operation(&self, request: OperationRequest) {
        let refusal = Event::Report(OperationReport {
            operation: request.id,
            report: Report::Ended(Ended {
                state: Terminal::Failed,
                outcome: Outcome::Error {
                    error: OperationError {
                        kind: ErrorKind::Internal,
                        detail: "the executor is not joined to the driver yet".into(),
                    },
                },
                output_end: 0,
                output_dropped: 0,
                duration_ms: 0,
            }),
        });
        let _ = self.sender.try_send(refusal);
    }

    /// Takes a control frame.
    pub fn control(&self, _control: Control) {}

    /// Sandboxes and unacknowledged operations, asked of the engine now.
    pub async fn inventory(&self) -> Inventory {
        Inventory {
            engine_silent: true,
            ..Inventory::default()
        }
    }
}
