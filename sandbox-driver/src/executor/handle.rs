//! The cheap handle through which an executor is driven.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::OperationError;
use serde_json::json;

use super::config::{ExecutorConfig, ExecutorError};
use super::event::{Event, Events};
use super::shared::Shared;
use super::status::{ExecutorStatus, Machine};
use super::{control, reconcile, session, start, status, take};

/// How long a shutdown waits for work that is about to end.
const GRACE: Duration = Duration::from_secs(5);

/// The executor: see [`Executor::start`].
#[derive(Debug)]
pub struct Executor;

impl Executor {
    /// Opens the state folder, takes up what an earlier life left unfinished, and starts to work. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`ExecutorError`] when the state folder cannot be used. An engine that is away is no error: operations say so.
    pub async fn start(config: ExecutorConfig) -> Result<(ExecutorHandle, Events), ExecutorError> {
        let shared = start::open(config).await?;
        let handle = ExecutorHandle { shared };
        let events = handle.attach();
        start::resume(&handle.shared);
        Ok((handle, events))
    }
}

/// Drives an executor; clones are cheap.
#[derive(Clone)]
pub struct ExecutorHandle {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for ExecutorHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExecutorHandle")
    }
}

impl ExecutorHandle {
    /// Begins a new session: earlier [`Events`] end, output waits until a `Replay` says where to go on, and every end
    /// that was not acknowledged is reported again.
    pub fn attach(&self) -> Events {
        session::attach(&self.shared)
    }

    /// The gateway welcomed this machine, draining or not; call it after [`attach`](Self::attach).
    pub fn welcomed(&self, draining: bool) {
        self.shared.desk().drain.welcomed(draining);
    }

    /// Takes an operation; what becomes of it comes as events. The same id starts at most once.
    pub fn operation(&self, request: OperationRequest) {
        take::operation(&self.shared, request);
    }

    /// Takes a control frame.
    pub fn control(&self, control: Control) {
        control::control(&self.shared, control);
    }

    /// Sandboxes and unacknowledged operations, asked of the engine now.
    pub async fn inventory(&self) -> Inventory {
        reconcile::inventory(&self.shared).await
    }

    /// Facts for `hello` and heartbeats, at most some seconds old.
    pub async fn machine(&self) -> Machine {
        status::machine(&self.shared).await
    }

    /// Folder with the engine's data, for the disk's figures.
    pub async fn engine_data(&self) -> PathBuf {
        self.shared.engine.data().await
    }

    /// Who uses what now.
    pub async fn status(&self) -> ExecutorStatus {
        status::status(&self.shared).await
    }

    /// The owner pauses or resumes this machine: no new sandbox, what runs goes on.
    pub async fn pause(&self, on: bool) {
        let changed = std::mem::replace(&mut self.shared.desk().paused, on) != on;
        if changed {
            self.shared.log.happened(
                if on { "paused" } else { "resumed" },
                json!({}),
                self.shared.clock.now_s(),
            );
        }
        self.shared
            .tell(Event::Reply(ControlReply::Paused { on }))
            .await;
    }

    /// Ends every sandbox of this installation without storing its workspace; says how many there were.
    ///
    /// # Errors
    /// The engine's; what was ended stays ended, and it may be repeated.
    pub async fn remove_everything(&self) -> Result<u32, OperationError> {
        self.shared.desk().paused = true;
        let mut ended = 0;
        for facts in self.shared.engine.list().await? {
            self.shared.engine.remove(facts.sandbox).await?;
            self.shared.desk().sandboxes.remove(&facts.sandbox);
            let gone = ControlReply::SandboxGone {
                sandbox: facts.sandbox,
                cause: roost_protocol::control::GoneCause::Owner,
            };
            self.shared.tell(Event::Reply(gone)).await;
            ended += 1;
        }
        Ok(ended)
    }

    /// Stops working, in order: nothing new is begun and commands are left to their guests, which go on; short work has
    /// a grace; then the ledger is synced and the folder is let go, so that the next life may begin.
    pub async fn shutdown(&self) {
        let shared = &self.shared;
        shared.stop.cancel();
        let session = shared.desk().session.take();
        if let Some(session) = session {
            session.end();
        }
        shared.tasks.close();
        if tokio::time::timeout(GRACE, shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("work was cut off by the shutdown; the next life does it again");
            shared.cut.cancel();
            // What does not even end now holds no engine call; it ends with the process.
            drop(tokio::time::timeout(GRACE, shared.tasks.wait()).await);
        }
        if let Err(error) = shared.ledger.settled().await {
            tracing::warn!(%error, "the ledger was not synced at the end");
        }
        shared.release();
    }
}
