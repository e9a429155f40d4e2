//! A cheap handle to an executor.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::hello::WantedImage;
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::OperationError;
use serde_json::json;

use super::config::{ExecutorConfig, ExecutorError};
use super::event::{Event, Events};
use super::shared::Shared;
use super::status::{ExecutorStatus, Machine};
use super::{admit, control, reconcile, session, start, status};

/// How long a shutdown waits for work that is about to end.
const GRACE: Duration = Duration::from_secs(5);

/// The executor: see [`Executor::start`].
#[derive(Debug)]
pub struct Executor;

impl Executor {
    /// Opens the state folder, resumes what an earlier process left unfinished, and starts. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`ExecutorError`] when the state folder cannot be used. A missing engine is not an error here: each operation
    /// reports it.
    pub async fn start(config: ExecutorConfig) -> Result<(ExecutorHandle, Events), ExecutorError> {
        let shared = start::open(config).await?;
        let handle = ExecutorHandle { shared };
        let events = handle.attach();
        start::resume(&handle.shared);
        Ok((handle, events))
    }
}

/// A handle to an executor; clones are cheap.
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
    /// Starts a new session. Earlier [`Events`] end, output waits until a `Replay` names its offset, and every
    /// unacknowledged end is reported again.
    pub fn attach(&self) -> Events {
        session::attach(&self.shared)
    }

    /// Applies the gateway's welcome: whether this machine drains, and which image it wants. Call it after
    /// [`attach`](Self::attach).
    pub fn welcomed(&self, draining: bool, image: Option<&str>) {
        self.shared.in_flight().drain.welcomed(draining);
        if let Some(image) = image {
            self.shared.engine.want_image(image);
        }
    }

    /// Sets the images of the gateway's catalogue, whose state [`machine`](Self::machine) reports.
    pub fn want_images(&self, images: Vec<WantedImage>) {
        self.shared.engine.want_images(images);
        self.shared.images.look();
    }

    /// Accepts an operation; its results arrive as events. An id starts at most once.
    pub fn operation(&self, request: OperationRequest) {
        admit::operation(&self.shared, request);
    }

    /// Handles a control frame.
    pub fn control(&self, control: Control) {
        control::control(&self.shared, control);
    }

    /// Sandboxes and unacknowledged operations. It queries the engine now.
    pub async fn inventory(&self) -> Inventory {
        reconcile::inventory(&self.shared).await
    }

    /// Facts for `hello` and heartbeats, at most a few seconds old.
    pub async fn machine(&self) -> Machine {
        status::machine(&self.shared).await
    }

    /// Folder with the engine's data, for disk figures.
    pub async fn engine_data(&self) -> PathBuf {
        self.shared.engine.data().await
    }

    /// The present use of this machine.
    pub async fn status(&self) -> ExecutorStatus {
        status::status(&self.shared).await
    }

    /// The owner's pause: no new sandboxes while running ones continue.
    pub async fn pause(&self, on: bool) {
        let changed = std::mem::replace(&mut self.shared.in_flight().paused, on) != on;
        if changed {
            self.shared.log.happened(
                if on { "paused" } else { "resumed" },
                json!({}),
                self.shared.clock.now_s(),
            );
        }
        self.shared
            .send(Event::Reply(ControlReply::Paused { on }))
            .await;
    }

    /// Ends every sandbox of this installation without storing its workspace; returns how many there were.
    ///
    /// # Errors
    /// The engine's error. Sandboxes that ended stay ended, and the call may be repeated.
    pub async fn remove_everything(&self) -> Result<u32, OperationError> {
        self.shared.in_flight().paused = true;
        let mut ended = 0;
        for facts in self.shared.engine.list().await? {
            self.shared.engine.remove(facts.sandbox).await?;
            self.shared.in_flight().sandboxes.remove(&facts.sandbox);
            let gone = ControlReply::SandboxGone {
                sandbox: facts.sandbox,
                cause: roost_protocol::control::GoneCause::Owner,
            };
            self.shared.send(Event::Reply(gone)).await;
            ended += 1;
        }
        Ok(ended)
    }

    /// Stops in order. No new work begins, and commands keep running in their guests. Short work gets a grace period.
    /// Then the ledger is synced and the folder is released for the next process.
    pub async fn shutdown(&self) {
        let shared = &self.shared;
        shared.stop.cancel();
        let session = shared.in_flight().session.take();
        if let Some(session) = session {
            session.end();
        }
        shared.tasks.close();
        if tokio::time::timeout(GRACE, shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("the shutdown interrupted work; the next start repeats it");
            shared.cut.cancel();
            // Work that still does not end holds no engine call. It ends with the process.
            drop(tokio::time::timeout(GRACE, shared.tasks.wait()).await);
        }
        shared.engine.leave().await;
        if let Err(error) = shared.ledger.flushed().await {
            tracing::warn!(%error, "cannot sync the ledger at shutdown");
        }
        shared.release();
    }
}
