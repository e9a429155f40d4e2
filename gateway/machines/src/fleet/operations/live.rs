//! The memory of this gateway about one operation: its stage, its output, and its readers.
//!
//! The dispatcher of its engine is the only writer. Readers and waiters read it directly, each at its own pace, so there is no
//! queue for each reader that could fill. The row in the store is the truth about the end. Readers get the end only when
//! the row has it, with one exception: readers of a command on the gateway's own host get it once the executor's ledger
//! has it. No other gateway can end such a row, and the executor repeats the end until it is acknowledged, which happens
//! only after the row's commit (deploy/decisions/0043). [`output`](super::output) decides what readers get.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use roost_protocol::machine::operation::{self as machine, Caller, Input, Stage};
use roost_protocol::machine::output::{Grant, OutputFault, Taken};
use roost_protocol::operation::OperationRequest;
use roost_protocol::output::Piece;
use roost_protocol::report::Ended;
use tokio::sync::Notify;

use super::kept::KeptOutput;
use super::model::{Asked, Target};
use super::output::{Found, LINGER, Output};
use super::ring::Part;
use roost_platform::ids::OperationId;
use roost_platform::promises::Watch;

/// One operation in memory.
#[derive(Debug)]
pub struct Live {
    pub id: OperationId,
    pub target: Target,
    /// The request's facts that its end must match.
    pub asked: Asked,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// The pure state machine.
    caller: Caller,
    /// The request, to send it (again).
    request: Option<OperationRequest>,
    progress: Option<String>,
    ended: Option<Arc<Ended>>,
    /// The row has the end.
    stored: bool,
    /// When the end was accepted.
    ended_at: Option<DateTime<Utc>>,
    output: Output,
    /// The store has it as accepted.
    noted: bool,
    /// Readers have nudged the dispatcher, and the dispatcher has not handled it yet.
    nudged: bool,
    /// It is a command with a record.
    recorded: bool,
    /// Its output is kept, or there is nothing to keep.
    kept: bool,
}

/// What a reader gets next.
#[derive(Debug)]
pub(super) enum Next {
    /// The next part.
    Part(Part),
    /// The end, after all output.
    Ended(Arc<Ended>),
    /// Another gateway has the machine.
    Elsewhere,
    /// Nothing yet.
    Nothing,
}

impl Live {
    /// An operation that is about to be sent.
    pub(super) fn begun(target: Target, request: OperationRequest) -> Arc<Self> {
        let id = OperationId(request.id.uuid());
        let asked = Asked::of(&request);
        let output = Output::of_new();
        Self::with(id, target, asked, Caller::new(), Some(request), output)
    }

    /// An operation that the store has as open.
    pub(super) fn recovered(
        id: OperationId,
        target: Target,
        asked: Asked,
        caller: Caller,
        request: Option<OperationRequest>,
    ) -> Arc<Self> {
        Self::with(id, target, asked, caller, request, Output::inherited(0))
    }

    /// An operation that has ended; `from` is the offset of its first reader.
    pub(super) fn over(
        id: OperationId,
        target: Target,
        asked: Asked,
        ended: Ended,
        from: u64,
        now: Instant,
    ) -> Arc<Self> {
        let caller = Caller::restore(Stage::Ended(ended.state), false);
        let output = Output::inherited(from.min(ended.output_end));
        let live = Self::with(id, target, asked, caller, None, output);
        live.end(ended, now);
        live
    }

    fn with(
        id: OperationId,
        target: Target,
        asked: Asked,
        caller: Caller,
        request: Option<OperationRequest>,
        output: Output,
    ) -> Arc<Self> {
        let state = State {
            caller,
            request,
            progress: None,
            ended: None,
            stored: false,
            ended_at: None,
            output,
            noted: false,
            nudged: false,
            recorded: false,
            kept: false,
        };
        Arc::new(Self {
            id,
            target,
            asked,
            state: Mutex::new(state),
            changed: Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock; if it did, the state would still be consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // Called by the dispatcher.

    /// Gives the pure machine an input. The caller carries out the outputs in their order.
    pub(super) fn step(&self, input: Input<'_>) -> Vec<machine::Output> {
        self.state().caller.step(input)
    }

    /// After a restart of its dispatcher: the store's state counts, unfinished steps do not.
    pub(super) fn restore(&self, caller: Caller) {
        let mut state = self.state();
        if !state.stored {
            state.caller = caller;
        }
    }

    /// The request, while it may still have to be sent.
    pub(super) fn request(&self) -> Option<OperationRequest> {
        self.state().request.clone()
    }

    /// Whether the store should record that it runs. Returns true only once.
    pub(super) fn note_accepted(&self) -> bool {
        let mut state = self.state();
        state.caller.stage() == Stage::Accepted && !std::mem::replace(&mut state.noted, true)
    }

    /// The offset up to which the machine need not keep output.
    pub(super) fn stored_to(&self, now: Instant) -> u64 {
        self.state().output.stored_to(now)
    }

    pub(super) fn progress(&self, detail: String) {
        self.state().progress = Some(detail);
        self.changed.notify_waiters();
    }

    /// Gives readers an end that the executor on this host has in its ledger. The row follows.
    pub(super) fn tell(&self, ended: Ended, at: DateTime<Utc>, now: Instant) {
        let mut state = self.state();
        if state.ended.is_none() {
            state.output.ended(ended.output_end, now);
            state.ended = Some(Arc::new(ended));
            state.ended_at = Some(at);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Records the end, once the store has it.
    pub(super) fn end(&self, ended: Ended, now: Instant) {
        let mut state = self.state();
        state.request = None;
        state.stored = true;
        match &state.ended {
            None => {
                state.output.ended(ended.output_end, now);
                state.ended = Some(Arc::new(ended));
            }
            Some(told) if told.state != ended.state => Watch::EndChanged.note(&self.id),
            Some(_) => {}
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// What is kept of its output; `None` while some of it has not arrived.
    pub(super) fn kept(&self, output_end: u64) -> Option<KeptOutput> {
        self.state().output.kept(output_end)
    }

    /// It is a command with a record: a part of its output is kept.
    pub(super) fn note_recorded(&self) {
        self.state().recorded = true;
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.state().recorded
    }

    /// Nothing is left to keep.
    pub(super) fn note_kept(&self) {
        self.state().kept = true;
    }

    pub(super) fn is_kept(&self) -> bool {
        self.state().kept
    }

    /// Whether it has an end that differs from this one.
    pub(super) fn ended_otherwise(&self, ended: &Ended) -> bool {
        let state = self.state();
        let told = state.ended.as_ref();
        told.is_some_and(|told| told.state != ended.state || told.outcome != ended.outcome)
    }

    /// Whether the row has its end.
    pub(super) fn is_ended(&self) -> bool {
        self.state().stored
    }

    /// The end that readers have and the row has not, with its time.
    pub(super) fn told(&self) -> Option<(Arc<Ended>, DateTime<Utc>)> {
        let state = self.state();
        let ended = state.ended.clone().filter(|_| !state.stored)?;
        Some((ended, state.ended_at?))
    }

    /// Takes a piece of output.
    ///
    /// # Errors
    /// When a correct machine never sends such a piece.
    pub(super) fn output(&self, piece: Piece) -> Result<Taken, OutputFault> {
        let taken = self.state().output.take(piece)?;
        if matches!(taken, Taken::Data { .. } | Taken::Gap { .. }) {
            self.changed.notify_waiters();
        }
        Ok(taken)
    }

    /// The machine reported where its output ends.
    pub(super) fn held_to(&self, output_end: u64) {
        self.state().output.held_to(output_end);
        self.changed.notify_waiters();
    }

    /// The next request to the machine; it counts as sent.
    pub(super) fn due(&self, now: Instant) -> Option<Grant> {
        let mut state = self.state();
        state.nudged = false;
        state.output.due(now)
    }

    /// A connection came up: output continues at its offset.
    pub(super) fn attached(&self) {
        self.state().output.attached();
        self.changed.notify_waiters();
    }

    /// The connection has been gone since then. Readers of an ended operation wait for the machine for a while.
    pub(super) fn detached(&self, since: Instant) {
        self.state().output.detached(since);
        self.changed.notify_waiters();
    }

    /// Another gateway holds the machine: readers go there.
    pub(super) fn elsewhere(&self) {
        self.state().output.elsewhere();
        self.changed.notify_waiters();
    }

    /// Whether a reader at `at` needs bytes that only the machine has.
    pub(super) fn needs_machine(&self, at: u64) -> bool {
        self.state().output.needs_machine(at)
    }

    /// The machine's output is gone: readers of an ended operation learn that the rest is not available.
    pub(super) fn gone(&self) {
        self.state().output.gone();
        self.changed.notify_waiters();
    }

    /// Time has passed: readers that waited long enough for a machine continue without it.
    pub(super) fn look_again(&self, now: Instant) {
        let state = self.state();
        let wake = state.output.is_read() && state.output.is_out_of_reach(now);
        drop(state);
        if wake {
            self.changed.notify_waiters();
        }
    }

    /// Whether memory can drop it: it ended long enough ago, and has no reader.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        let state = self.state();
        let output = &state.output;
        state.stored && !output.is_read() && output.over_for(now).is_some_and(|over| over >= LINGER)
    }

    /// Whether it has a reader.
    pub(super) fn is_read(&self) -> bool {
        self.state().output.is_read()
    }

    // Called by readers and waiters.

    /// The stage, the latest progress and the offset reached, for people.
    pub(super) fn glance(&self) -> (bool, Option<String>, u64) {
        let state = self.state();
        (
            state.caller.stage() == Stage::Accepted,
            state.progress.clone(),
            state.output.seen(),
        )
    }

    /// The end, once the store has it.
    pub(super) async fn stored(&self) -> Arc<Ended> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let ended = {
                let state = self.state();
                state.ended.clone().filter(|_| state.stored)
            };
            if let Some(ended) = ended {
                return ended;
            }
            changed.await;
        }
    }

    /// Resolves at the next change after it was enabled.
    pub(super) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    pub(super) fn enter(&self, at: u64, now: Instant) -> u64 {
        self.state().output.enter(at, now)
    }

    pub(super) fn leave(&self, reader: u64) {
        self.state().output.leave(reader);
    }

    /// What `reader` gets at `at`, and whether the caller must nudge the dispatcher ([`Live::due`]).
    pub(super) fn read(&self, reader: u64, at: u64, now: Instant) -> (Next, bool) {
        let mut state = self.state();
        let (found, due) = state.output.read(reader, at, now);
        let next = match (found, &state.ended) {
            (Found::Part(part), _) => Next::Part(part),
            (Found::End, Some(ended)) => Next::Ended(Arc::clone(ended)),
            (Found::Elsewhere, _) => Next::Elsewhere,
            _ => Next::Nothing,
        };
        let nudge = due && !state.nudged;
        state.nudged |= nudge;
        (next, nudge)
    }
}

#[cfg(test)]
mod tests {
    use roost_protocol::report::{Outcome, Report, Terminal};
    use uuid::Uuid;

    use super::*;

    fn ended(state: Terminal) -> Ended {
        Ended {
            state,
            outcome: Outcome::Unknown,
            output_end: 0,
            output_dropped: 0,
            duration_ms: 0,
        }
    }

    #[tokio::test]
    async fn end_that_was_told_waits_for_its_row_and_a_restart_writes_it() {
        let now = Instant::now();
        let asked = Asked {
            kind: "sb_exec".to_owned(),
            workspace: None,
            owner: None,
            sandbox: None,
        };
        let (id, sent) = (
            OperationId(Uuid::from_u128(2)),
            Caller::restore(Stage::Sent, false),
        );
        let live = Live::recovered(id, Target::Local, asked, sent.clone(), None);
        let done = ended(Terminal::Done);
        let ending = Report::Ended(done.clone());
        let first = live.step(Input::Report(&ending));
        live.tell(done.clone(), DateTime::UNIX_EPOCH, now);
        assert!(!live.is_ended(), "the row does not have it");
        assert_eq!(
            live.told().map(|(told, _)| told.state),
            Some(Terminal::Done)
        );
        let reader = live.enter(0, now);
        assert!(matches!(live.read(reader, 0, now).0, Next::Ended(_)));
        // The write failed, and the dispatcher starts again from the row.
        live.restore(sent);
        assert_eq!(live.step(Input::Report(&ending)), first);
        live.end(done, now);
        assert!(live.is_ended() && live.told().is_none());
        assert_eq!(live.stored().await.state, Terminal::Done);
    }

    #[tokio::test]
    async fn the_same_end_told_again_breaks_nothing_and_another_breaks_p1() {
        let now = Instant::now();
        let id = OperationId(Uuid::from_u128(1));
        let first = ended(Terminal::Done);
        let asked = Asked {
            kind: "sb_exec".to_owned(),
            workspace: None,
            owner: None,
            sandbox: None,
        };
        let live = Live::over(id, Target::Local, asked, first.clone(), 0, now);
        live.end(first, now);
        assert_eq!(Watch::EndChanged.count(), 0);
        live.end(ended(Terminal::Failed), now);
        assert_eq!(Watch::EndChanged.count(), 1);
        assert_eq!(
            live.stored().await.state,
            Terminal::Done,
            "the first stands"
        );
    }
}
