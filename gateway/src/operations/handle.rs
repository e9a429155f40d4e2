//! What other domains see of operations.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use roost_protocol::operation::{OperationRequest, TtySize};
use roost_protocol::report::{Ended, Terminal};

use super::entity;
use super::error::OperationsError;
use super::line::{ANSWER_WITHIN, EngineCall, Line};
use super::live::Live;
use super::model::{self, Asked, OperationRef, OperationState, Target};
use super::registry::{Finder, Registry};
use super::store;
use super::stream::OutputStream;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::events::{EventLog, NodeActivity};
use crate::ids::{OperationId, SandboxId};

/// The operations of this gateway. Cheap to clone.
#[derive(Clone)]
pub struct OperationsHandle {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    clock: SharedClock,
    registry: Registry,
    events: EventLog,
}

impl std::fmt::Debug for OperationsHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperationsHandle")
    }
}

/// An operation as it stands now.
#[derive(Debug, Clone)]
pub struct Standing {
    pub row: entity::Model,
    pub state: OperationState,
    /// The latest progress of long work.
    pub progress: Option<String>,
    /// Output that this gateway has seen, bytes.
    pub offset: u64,
}

impl OperationsHandle {
    /// An empty desk room; engines connect their lines later.
    pub fn new(db: Db, clock: SharedClock, events: EventLog) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                clock,
                registry: Registry::default(),
                events,
            }),
        }
    }

    pub(super) fn db(&self) -> &Db {
        &self.inner.db
    }

    pub(super) fn clock(&self) -> &SharedClock {
        &self.inner.clock
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// Shows in the world view that something begins (`None`) or ended on a machine. Ephemeral: nothing depends on it.
    pub(super) async fn show(&self, target: Target, asked: &Asked, ended: Option<Terminal>) {
        let Some(workspace) = asked.workspace else {
            return;
        };
        if let Some((label, heat)) = model::activity(&asked.kind, ended) {
            let event = NodeActivity::on_machine(target.node(), label, heat);
            let scope = WorkspaceScope::of_row(workspace.into());
            self.inner.events.emit(scope, event).await;
        }
    }

    /// The engine's actor can be reached by this line from now on.
    pub fn connect(&self, target: Target, line: Line) {
        self.inner.registry.connect(target, line);
    }

    /// The engine is gone for good.
    pub fn disconnect(&self, target: Target) {
        self.inner.registry.disconnect(target);
    }

    /// Says how a node's actor is found that is not here yet: another gateway may have paired the node.
    pub fn find_with(&self, finder: Finder) {
        self.inner.registry.find_with(finder);
    }

    fn known_line(&self, target: Target) -> Result<Line, OperationsError> {
        self.inner.registry.line(target).ok_or(match target {
            Target::Local => OperationsError::LocalOff,
            Target::Node(node) => OperationsError::UnknownNode(node),
        })
    }

    async fn line(&self, target: Target) -> Result<Line, OperationsError> {
        let line = self.inner.registry.find_line(target).await;
        line.ok_or(match target {
            Target::Local => OperationsError::LocalOff,
            Target::Node(node) => OperationsError::UnknownNode(node),
        })
    }

    /// Writes an operation down and sends it. Its id is the caller's: asked again with the same id, it starts at most
    /// once and the answer is the same.
    ///
    /// # Errors
    /// When it was not taken; then nothing was written and nothing runs.
    pub async fn submit(
        &self,
        target: Target,
        request: OperationRequest,
    ) -> Result<OperationRef, OperationsError> {
        let line = self.line(target).await?;
        line.ask(ANSWER_WITHIN, |reply| {
            EngineCall::Submit(Box::new(request), reply)
        })
        .await
    }

    /// Waits for the end, however long it takes; put a timeout around it.
    ///
    /// # Errors
    /// When nothing is known of it, or the store fails.
    pub async fn wait(&self, id: OperationId) -> Result<Arc<Ended>, OperationsError> {
        if let Some(live) = self.inner.registry.get(id) {
            return Ok(live.ended().await);
        }
        let row = self.row(id).await?;
        match row.ended() {
            Some(ended) => Ok(Arc::new(ended)),
            None => Err(self.not_here(&row)),
        }
    }

    /// Submits and waits at most `within`.
    ///
    /// # Errors
    /// As [`submit`](Self::submit); [`OperationsError::TooSlow`] when it still runs then.
    pub async fn perform(
        &self,
        target: Target,
        request: OperationRequest,
        within: Duration,
    ) -> Result<Arc<Ended>, OperationsError> {
        let taken = self.submit(target, request).await?;
        match tokio::time::timeout(within, self.wait(taken.id)).await {
            Ok(ended) => ended,
            Err(_) => Err(OperationsError::TooSlow {
                id: taken.id,
                within,
            }),
        }
    }

    /// Reads output from `offset` on, then the end. What the machine still has is asked for again; what is gone comes
    /// as a gap.
    ///
    /// # Errors
    /// When nothing is known of it, or another gateway has it.
    pub async fn subscribe(
        &self,
        id: OperationId,
        offset: u64,
    ) -> Result<OutputStream, OperationsError> {
        let live = match self.inner.registry.get(id) {
            Some(live) => live,
            None => {
                let row = self.row(id).await?;
                let Some(ended) = row.ended() else {
                    return Err(self.not_here(&row));
                };
                let from = offset.min(ended.output_end);
                let live = Live::over(
                    id,
                    row.target(),
                    row.asked(),
                    ended,
                    from,
                    self.inner.clock.monotonic(),
                );
                self.inner.registry.put(live)
            }
        };
        let line = self.inner.registry.line(live.target);
        if line.is_none() {
            live.detached();
        }
        Ok(OutputStream::new(
            live,
            line,
            self.inner.clock.clone(),
            offset,
        ))
    }

    /// Asks for it to be stopped. Its end says whether it was.
    ///
    /// # Errors
    /// When it cannot be said to it now.
    pub async fn cancel(&self, id: OperationId) -> Result<(), OperationsError> {
        let line = self.line_of(id).await?;
        line.ask(ANSWER_WITHIN, |reply| EngineCall::Cancel(id, reply))
            .await
    }

    /// Gives it stdin at an offset; answered when the machine has taken it, with the offset after it. An offset seen
    /// before is ignored, so a retry is safe.
    ///
    /// # Errors
    /// When it cannot be said to it now, or was not taken within `within`.
    pub async fn stdin(
        &self,
        id: OperationId,
        offset: u64,
        data: Bytes,
        eof: bool,
        within: Duration,
    ) -> Result<u64, OperationsError> {
        let line = self.line_of(id).await?;
        line.ask(within, |reply| EngineCall::Stdin {
            id,
            offset,
            data,
            eof,
            reply,
        })
        .await
    }

    /// Tells it the size of its terminal.
    ///
    /// # Errors
    /// When it cannot be said to it now.
    pub async fn resize(&self, id: OperationId, size: TtySize) -> Result<(), OperationsError> {
        let line = self.line_of(id).await?;
        line.ask(ANSWER_WITHIN, |reply| EngineCall::Resize(id, size, reply))
            .await
    }

    /// Says that sandboxes are in use, so that their leases are renewed.
    ///
    /// # Errors
    /// When there is no such engine.
    pub fn renew(
        &self,
        target: Target,
        sandboxes: Vec<SandboxId>,
        lease_s: u64,
    ) -> Result<(), OperationsError> {
        Ok(self
            .known_line(target)?
            .post(EngineCall::Lease(sandboxes, lease_s))?)
    }

    /// Says which sandboxes should exist on an engine; others of ours older than `grace_s` seconds are removed there.
    ///
    /// # Errors
    /// When there is no such engine.
    pub fn reconcile(
        &self,
        target: Target,
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
    ) -> Result<(), OperationsError> {
        Ok(self
            .known_line(target)?
            .post(EngineCall::Reconcile { sandboxes, grace_s })?)
    }

    /// An operation of a workspace as it stands; `None` when there is none.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn standing(
        &self,
        scope: WorkspaceScope,
        id: OperationId,
    ) -> Result<Option<Standing>, OperationsError> {
        let Some(row) = store::get_scoped(self.inner.db.read(), scope, id).await? else {
            return Ok(None);
        };
        let mut state = row.state();
        let (mut progress, mut offset) = (None, u64::try_from(row.output_end).unwrap_or(0));
        if let Some(live) = self.inner.registry.get(id) {
            let (accepted, said, seen) = live.glance();
            (progress, offset) = (said, offset.max(seen));
            if state == OperationState::Pending && accepted {
                state = OperationState::Running;
            }
        }
        Ok(Some(Standing {
            row,
            state,
            progress,
            offset,
        }))
    }

    /// How many operations are under way on an engine.
    pub fn in_flight(&self, target: Target) -> usize {
        self.inner
            .registry
            .of(target)
            .iter()
            .filter(|live| !live.is_ended())
            .count()
    }

    async fn row(&self, id: OperationId) -> Result<entity::Model, OperationsError> {
        store::get(self.inner.db.read(), id)
            .await?
            .ok_or(OperationsError::UnknownOperation(id))
    }

    async fn line_of(&self, id: OperationId) -> Result<Line, OperationsError> {
        if let Some(live) = self.inner.registry.get(id) {
            return self.line(live.target).await;
        }
        let row = self.row(id).await?;
        if row.state().is_final() {
            Err(OperationsError::Over(id))
        } else {
            Err(self.not_here(&row))
        }
    }

    /// An open operation that is not in this memory is another gateway's.
    fn not_here(&self, row: &entity::Model) -> OperationsError {
        match row.target() {
            Target::Node(node) => OperationsError::HeldElsewhere(node),
            Target::Local => OperationsError::LocalOff,
        }
    }
}
