//! The handle with which other domains use operations.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use roost_protocol::control::Kept;
use roost_protocol::limits::MAX_STDIN_WAITING_BYTES;
use roost_protocol::operation::{OperationRequest, TtySize};
use roost_protocol::report::{Ended, Terminal};

use super::activity::Activities;
use super::command_store;
use super::entity;
use super::error::OperationsError;
use super::kept::KeptOutput;
use super::line::{ANSWER_WITHIN, EngineCall, Line};
use super::live::Live;
use super::model::{self, OperationRef, OperationState, Target};
use super::record::CommandRecord;
use super::registry::Registry;
use super::store;
use super::stream::OutputStream;
use super::submission::{PersonsEntry, Submission};
use crate::fleet::handle::WeakFleet;
use roost_platform::clock::SharedClock;
use roost_platform::db::{Backend, Db, Older};
use roost_platform::events::{About, NodeActivity};
use roost_platform::ids::{OperationId, SandboxId, SandboxOwnerId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// Bytes of stdin in one message to the machine's actor: as many as may be on the way.
const STDIN_PIECE: usize = MAX_STDIN_WAITING_BYTES as usize;

/// The operations of this gateway. Cheap to clone.
#[derive(Clone)]
pub struct OperationsHandle {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    clock: SharedClock,
    registry: Registry,
    activities: Activities,
}

impl std::fmt::Debug for OperationsHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperationsHandle")
    }
}

/// The present state of an operation.
#[derive(Debug, Clone)]
pub struct OperationStatus {
    pub row: entity::Model,
    pub state: OperationState,
    /// The latest progress of a long operation.
    pub progress: Option<String>,
    /// Output that this gateway has seen, bytes.
    pub offset: u64,
}

impl OperationsHandle {
    /// A handle without operations; engines connect their lines later.
    pub(in crate::fleet) fn new(
        db: Db,
        clock: SharedClock,
        activities: Activities,
        fleet: WeakFleet,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                clock,
                registry: Registry::new(fleet),
                activities,
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

    /// Shows the begin (`None`) or the end of work on a machine in the world view. Ephemeral: nothing depends on it, and
    /// it never stands before an answer.
    pub(super) fn publish_activity(
        &self,
        live: &Live,
        workspace: WorkspaceId,
        ended: Option<Terminal>,
    ) {
        let about = self.inner.registry.about(live.id, ended.is_some());
        if let Some((label, heat)) = model::activity(&live.asked.kind, ended) {
            let event = NodeActivity::on_machine(live.target.node(), label, heat);
            self.inner.activities.put(workspace, event.about(about));
        }
    }

    /// The operation that gets this id is work for a run: its begin and its end are published about the run. A gateway
    /// that starts again has forgotten it.
    pub fn is_about(&self, id: OperationId, about: About) {
        self.inner.registry.note_about(id, about);
    }

    /// Registers the line to the engine's actor.
    pub(in crate::fleet) fn connect(&self, target: Target, line: Line) {
        self.inner.registry.connect(target, line);
    }

    /// Removes an engine that is gone for good.
    pub(in crate::fleet) fn disconnect(&self, target: Target) {
        self.inner.registry.disconnect(target);
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

    /// Stores an operation and sends it. The caller chooses the id: a repeated call with the same id starts it at most
    /// once and gets the same answer.
    ///
    /// # Errors
    /// When it was not accepted; then nothing was written and nothing runs.
    pub async fn submit(
        &self,
        target: Target,
        request: OperationRequest,
    ) -> Result<OperationRef, OperationsError> {
        self.submit_for(target, request, None, None).await
    }

    /// As [`submit`](Self::submit), with the record of a command, and the audit log's entry about a person's request.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). Without the entry nothing runs.
    pub async fn submit_for(
        &self,
        target: Target,
        request: OperationRequest,
        record: Option<CommandRecord>,
        entry: Option<PersonsEntry>,
    ) -> Result<OperationRef, OperationsError> {
        let line = self.line(target).await?;
        let submission = Box::new(Submission {
            request,
            entry,
            record,
        });
        line.ask(ANSWER_WITHIN, |reply| EngineCall::Submit(submission, reply))
            .await
    }

    /// Waits until the row has the end, without a limit; put a timeout around it.
    ///
    /// # Errors
    /// When the operation is unknown, or the store fails.
    pub async fn wait(&self, id: OperationId) -> Result<Arc<Ended>, OperationsError> {
        if let Some(live) = self.inner.registry.get(id) {
            return Ok(live.stored().await);
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
    /// As [`submit`](Self::submit); [`OperationsError::TooSlow`] when it still runs after that time.
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

    /// Reads output from `offset` on, then the end. Output that only the machine still has is requested again; output
    /// that is gone becomes a gap.
    ///
    /// # Errors
    /// When the operation is unknown, or another gateway holds its machine.
    pub async fn subscribe(
        &self,
        id: OperationId,
        offset: u64,
    ) -> Result<OutputStream, OperationsError> {
        let live = self.inner.registry.get(id);
        let kept = match &live {
            Some(live) if !live.is_ended() || !live.needs_machine(offset) => KeptOutput::default(),
            _ => command_store::kept_of(self.inner.db.read(), id)
                .await?
                .unwrap_or_default(),
        };
        let live = match live {
            Some(live) => live,
            None => {
                let row = self.row(id).await?;
                let Some(ended) = row.ended() else {
                    return Err(self.not_here(&row));
                };
                let output_end = ended.output_end;
                let from = offset.min(output_end);
                let live = Live::over(
                    id,
                    row.target(),
                    row.asked(),
                    ended,
                    from,
                    self.inner.clock.monotonic(),
                );
                if kept.is_whole(output_end) {
                    live.gone();
                    let clock = self.inner.clock.clone();
                    return Ok(OutputStream::new(live, None, clock, offset).with_kept(kept));
                }
                self.inner.registry.put(live)
            }
        };
        // Right after a start the actor of a machine may not exist yet. Only without an actor there is nothing to wait
        // for.
        let line = self.inner.registry.find_line(live.target).await;
        match &line {
            None => live.gone(),
            Some(line) => self.is_reached_here(line, &live, offset).await?,
        }
        Ok(OutputStream::new(live, line, self.inner.clock.clone(), offset).with_kept(kept))
    }

    /// Refuses a reader that needs the machine while another gateway holds it. On SQLite there is only one gateway.
    async fn is_reached_here(
        &self,
        line: &Line,
        live: &Live,
        offset: u64,
    ) -> Result<(), OperationsError> {
        if self.inner.db.backend() == Backend::Sqlite || !live.needs_machine(offset) {
            return Ok(());
        }
        match line.ask(ANSWER_WITHIN, EngineCall::Reach).await {
            // An actor that restarts checks its readers afterwards.
            Ok(()) | Err(OperationsError::NoAnswer(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Requests a cancellation. The end of the operation shows whether it was cancelled.
    ///
    /// # Errors
    /// When the request cannot be sent now.
    pub async fn cancel(&self, id: OperationId) -> Result<(), OperationsError> {
        let line = self.line_of(id).await?;
        line.ask(ANSWER_WITHIN, |reply| EngineCall::Cancel(id, reply))
            .await
    }

    /// Sends stdin at an offset. Returns when the command has taken it, with the offset after it. An offset that was sent
    /// before is ignored, so a retry is safe. Any size is allowed: bytes without room wait here.
    ///
    /// # Errors
    /// When it cannot be sent now, or the command took nothing for `within`.
    pub async fn stdin(
        &self,
        id: OperationId,
        offset: u64,
        mut data: Bytes,
        eof: bool,
        within: Duration,
    ) -> Result<u64, OperationsError> {
        let line = self.line_of(id).await?;
        let mut at = offset;
        loop {
            // One piece at a time, so that a slow command has the full time for each piece.
            let piece = data.split_to(data.len().min(STDIN_PIECE));
            let length = piece.len() as u64;
            let last = data.is_empty();
            let taken = line
                .ask(within, |reply| EngineCall::Stdin {
                    id,
                    offset: at,
                    data: piece,
                    eof: eof && last,
                    reply,
                })
                .await?;
            if last {
                return Ok(taken);
            }
            at = at.saturating_add(length);
        }
    }

    /// Sends a new terminal size.
    ///
    /// # Errors
    /// When it cannot be sent now.
    pub async fn resize(&self, id: OperationId, size: TtySize) -> Result<(), OperationsError> {
        let line = self.line_of(id).await?;
        line.ask(ANSWER_WITHIN, |reply| EngineCall::Resize(id, size, reply))
            .await
    }

    /// Reports that sandboxes are in use, so that the engine renews their leases.
    ///
    /// # Errors
    /// When the engine is unknown.
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

    /// Sends the list of sandboxes that should exist on an engine, and of agents whose stored workspaces should. The
    /// engine removes our other sandboxes that are older than `grace_s` seconds.
    ///
    /// # Errors
    /// When the engine is unknown.
    pub fn reconcile(
        &self,
        target: Target,
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
        kept: Option<Kept>,
    ) -> Result<(), OperationsError> {
        Ok(self.known_line(target)?.post(EngineCall::Reconcile {
            sandboxes,
            grace_s,
            kept,
        })?)
    }

    /// Reports that an owner was removed, so that the engine removes its stored workspaces, and with `results` its
    /// operations with their output.
    ///
    /// # Errors
    /// When the engine is unknown.
    pub fn forget(
        &self,
        target: Target,
        owner: SandboxOwnerId,
        archives: Vec<String>,
        results: bool,
    ) -> Result<(), OperationsError> {
        Ok(self.known_line(target)?.post(EngineCall::Forget {
            owner,
            archives,
            results,
        })?)
    }

    /// The present state of an operation of a workspace; `None` when it does not exist.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn status(
        &self,
        scope: WorkspaceScope,
        id: OperationId,
    ) -> Result<Option<OperationStatus>, OperationsError> {
        let live = self.inner.registry.get(id);
        // A reader that has the end reads it here too, while its row is being written. Memory is read before the row:
        // an end that memory does not have to tell any more is in the row that is read after it.
        let told = live.as_ref().and_then(|live| live.told());
        let Some(mut row) = store::get_scoped(self.inner.db.read(), scope, id).await? else {
            return Ok(None);
        };
        if let Some((ended, at)) = told {
            row.show_end(&ended, at);
        }
        let mut state = row.state();
        let (mut progress, mut offset) = (None, u64::try_from(row.output_end).unwrap_or(0));
        if let Some(live) = live {
            let (accepted, said, seen) = live.glance();
            (progress, offset) = (said, offset.max(seen));
            if state == OperationState::Pending && accepted {
                state = OperationState::Running;
            }
        }
        Ok(Some(OperationStatus {
            row,
            state,
            progress,
            offset,
        }))
    }

    /// The operations in sandboxes of an owner, newest first, with the ends that readers have and the rows have not.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of_owner(
        &self,
        scope: WorkspaceScope,
        owner: SandboxOwnerId,
        older: Older<OperationId>,
        limit: u64,
    ) -> Result<Vec<entity::Model>, OperationsError> {
        // Before the rows, as in `status`.
        let told = self.inner.registry.told();
        let mut rows = store::of_owner(self.inner.db.read(), scope, owner, older, limit).await?;
        for row in &mut rows {
            if let Some((ended, at)) = told.get(&row.id) {
                row.show_end(ended, *at);
            }
        }
        Ok(rows)
    }

    /// The number of operations under way on an engine.
    pub fn in_flight(&self, target: Target) -> usize {
        self.inner
            .registry
            .of(target)
            .iter()
            .filter(|live| !live.is_ended())
            .count()
    }

    /// Whether this is a command of this owner that memory holds; `None` when memory does not hold it.
    pub fn is_command_of(
        &self,
        scope: WorkspaceScope,
        owner: SandboxOwnerId,
        id: OperationId,
    ) -> Option<bool> {
        let live = self.inner.registry.get(id)?;
        let asked = &live.asked;
        Some(
            asked.kind == "sb_exec"
                && asked.workspace == Some(scope.workspace().0)
                && asked.owner == Some(owner.0),
        )
    }

    pub(super) async fn row(&self, id: OperationId) -> Result<entity::Model, OperationsError> {
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

    /// An open operation that is not in this gateway's memory belongs to another gateway.
    fn not_here(&self, row: &entity::Model) -> OperationsError {
        match row.target() {
            Target::Node(node) => OperationsError::HeldElsewhere(node),
            Target::Local => OperationsError::LocalOff,
        }
    }
}
