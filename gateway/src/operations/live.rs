//! What this gateway holds in memory of one operation: its stage, the ring of its output, and who reads it.
//!
//! The desk of its engine is the only writer; readers and waiters look at it directly, each at its own pace, so no
//! queue a reader exists that could fill. The truth about the end is the row in the store: a live operation is told
//! of its end only after the row has it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use roost_protocol::limits::{INITIAL_CREDIT_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::operation::{Caller, Input, Output, Stage};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::Ended;
use tokio::sync::Notify;

use super::model::{Asked, Target};
use super::pace::{self, Reader};
use super::ring::{Part, Ring, Taken};
use crate::ids::OperationId;
use crate::promises::Watch;

/// One operation in memory.
#[derive(Debug)]
pub struct Live {
    pub id: OperationId,
    pub target: Target,
    /// What its end is checked against.
    pub asked: Asked,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// The pure machine: what was said, what is to be said.
    caller: Caller,
    /// For sending it (again).
    request: Option<OperationRequest>,
    progress: Option<String>,
    ended: Option<(Arc<Ended>, Instant)>,
    ring: Ring,
    granted: u64,
    readers: HashMap<u64, Reader>,
    next_reader: u64,
    /// A reader wants output from here, which the ring does not have (any more).
    wanted: Option<u64>,
    /// The store knows that it was accepted.
    noted: bool,
    /// Whether its engine can be asked for output now.
    reachable: bool,
    /// Whether its readers have asked the desk to look, and it has not yet.
    nudged: bool,
}

/// What a reader finds.
#[derive(Debug)]
pub(super) enum Found {
    /// The next part.
    Part(Part),
    /// The end, after all output.
    Ended(Arc<Ended>),
    /// Nothing yet.
    Nothing,
}

/// What the desk has to say to the node for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Dues {
    /// Output is wanted again from here.
    pub(super) replay: Option<u64>,
    /// Output may be sent up to here.
    pub(super) credit: Option<u64>,
}

impl Live {
    /// An operation that is about to be sent.
    pub(super) fn begun(target: Target, request: OperationRequest) -> Arc<Self> {
        let id = OperationId(request.id.uuid());
        let asked = Asked::of(&request);
        Self::with(id, target, asked, Caller::new(), Some(request), None, 0)
    }

    /// An operation of which the store knows that it is open.
    pub(super) fn recovered(
        id: OperationId,
        target: Target,
        asked: Asked,
        caller: Caller,
        request: Option<OperationRequest>,
    ) -> Arc<Self> {
        Self::with(id, target, asked, caller, request, None, 0)
    }

    /// An operation that ended; `from` is where its first reader wants to begin.
    pub(super) fn over(
        id: OperationId,
        target: Target,
        asked: Asked,
        ended: Ended,
        from: u64,
        now: Instant,
    ) -> Arc<Self> {
        let caller = Caller::restore(Stage::Ended(ended.state), false);
        Self::with(
            id,
            target,
            asked,
            caller,
            None,
            Some((Arc::new(ended), now)),
            from,
        )
    }

    fn with(
        id: OperationId,
        target: Target,
        asked: Asked,
        caller: Caller,
        request: Option<OperationRequest>,
        ended: Option<(Arc<Ended>, Instant)>,
        from: u64,
    ) -> Arc<Self> {
        let wanted = ended
            .as_ref()
            .and_then(|(ended, _)| (from < ended.output_end).then_some(from));
        let state = State {
            caller,
            request,
            progress: None,
            ended,
            ring: Ring::at(from),
            granted: from + INITIAL_CREDIT_BYTES,
            readers: HashMap::new(),
            next_reader: 0,
            wanted,
            noted: false,
            reachable: true,
            nudged: false,
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
        // Nothing panics while it holds this lock; if it did, the state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // What the desk does.

    /// Lets the pure machine take an input; what it says is to be done in its order.
    pub(super) fn step(&self, input: Input<'_>) -> Vec<Output> {
        self.state().caller.step(input)
    }

    /// After its desk was restarted: what the store knows counts, not what was half done.
    pub(super) fn restore(&self, caller: Caller) {
        let mut state = self.state();
        if state.ended.is_none() {
            state.caller = caller;
        }
    }

    /// The request, as long as it may have to be sent.
    pub(super) fn request(&self) -> Option<OperationRequest> {
        self.state().request.clone()
    }

    /// Whether the store should be told that it runs; counts as told.
    pub(super) fn note_accepted(&self) -> bool {
        let mut state = self.state();
        state.caller.stage() == Stage::Accepted && !std::mem::replace(&mut state.noted, true)
    }

    /// Up to where output is safe here, or wanted by nobody: what the node need not keep for us.
    pub(super) fn stored_to(&self) -> u64 {
        let state = self.state();
        if state.readers.is_empty() {
            u64::MAX
        } else {
            state.ring.end()
        }
    }

    pub(super) fn progress(&self, detail: String) {
        self.state().progress = Some(detail);
        self.changed.notify_waiters();
    }

    /// The store has its end.
    pub(super) fn end(&self, ended: Ended, now: Instant) {
        let mut state = self.state();
        state.request = None;
        match &state.ended {
            None => state.ended = Some((Arc::new(ended), now)),
            Some((told, _)) if told.state != ended.state => Watch::EndChanged.note(&self.id),
            Some(_) => {}
        }
        drop(state);
        self.changed.notify_waiters();
    }

    pub(super) fn is_ended(&self) -> bool {
        self.state().ended.is_some()
    }

    /// Takes a piece of output.
    pub(super) fn output(&self, part: Part) -> Taken {
        let mut state = self.state();
        let limit = state
            .ended
            .as_ref()
            .map_or(MAX_STREAMED_BYTES, |(ended, _)| {
                ended.output_end.min(MAX_STREAMED_BYTES)
            });
        let taken = state.ring.push(part, limit);
        drop(state);
        if taken == Taken::Extended {
            self.changed.notify_waiters();
        }
        taken
    }

    /// What is to be said to the node; counts as said.
    pub(super) fn dues(&self, now: Instant) -> Dues {
        let mut state = self.state();
        state.nudged = false;
        if !state.reachable {
            return Dues::default();
        }
        let replay = state.wanted.take();
        if let Some(from) = replay {
            state.ring = Ring::at(from);
            state.granted = from;
        }
        let over = state
            .ended
            .as_ref()
            .is_some_and(|(ended, _)| state.ring.end() >= ended.output_end);
        let readers: Vec<Reader> = state.readers.values().copied().collect();
        let credit = if over && replay.is_none() {
            None
        } else {
            pace::credit(state.granted, state.ring.end(), readers, now)
        };
        if let Some(up_to) = credit {
            state.granted = up_to;
        }
        Dues { replay, credit }
    }

    /// A connection came up: output goes on where the ring ends.
    pub(super) fn attached(&self) {
        let mut state = self.state();
        state.reachable = true;
        let end = state.ring.end();
        let wants_more = state
            .ended
            .as_ref()
            .is_none_or(|(ended, _)| end < ended.output_end && !state.readers.is_empty());
        if wants_more && state.wanted.is_none() {
            state.wanted = Some(end);
        }
    }

    /// The connection is gone; readers of an ended operation learn that the rest cannot be had.
    pub(super) fn detached(&self) {
        self.state().reachable = false;
        self.changed.notify_waiters();
    }

    /// Whether it may be forgotten: ended long enough ago, and nobody reads.
    pub(super) fn is_idle(&self, now: Instant, after: std::time::Duration) -> bool {
        let state = self.state();
        state.readers.is_empty()
            && state
                .ended
                .as_ref()
                .is_some_and(|(_, at)| now.saturating_duration_since(*at) >= after)
    }

    // What readers and waiters do.

    /// The stage, the latest progress and the offset reached, for people.
    pub(super) fn glance(&self) -> (bool, Option<String>, u64) {
        let state = self.state();
        (
            state.caller.stage() == Stage::Accepted,
            state.progress.clone(),
            state.ring.end(),
        )
    }

    /// The end, once the store has it.
    pub(super) async fn ended(&self) -> Arc<Ended> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some((ended, _)) = &self.state().ended {
                return Arc::clone(ended);
            }
            changed.await;
        }
    }

    /// Resolves at the next change after it was enabled.
    pub(super) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    pub(super) fn enter(&self, at: u64, now: Instant) -> u64 {
        let mut state = self.state();
        let reader = state.next_reader;
        state.next_reader += 1;
        state.readers.insert(reader, Reader { at, moved: now });
        reader
    }

    pub(super) fn leave(&self, reader: u64) {
        self.state().readers.remove(&reader);
    }

    /// What `reader` finds at `at`, and whether the desk should look ([`Live::dues`]).
    pub(super) fn read(&self, reader: u64, at: u64, now: Instant) -> (Found, bool) {
        let mut state = self.state();
        let end = state.ring.end();
        let found = if let Some(part) = state.ring.read(at) {
            Found::Part(part)
        } else {
            let over = state.ended.as_ref().map(|(ended, _)| Arc::clone(ended));
            match over {
                Some(ended) if at >= ended.output_end => Found::Ended(ended),
                // The rest is on a machine that cannot be asked: say so instead of waiting for it.
                Some(ended) if !state.reachable => Found::Part(Part::Gap {
                    from: at,
                    to: ended.output_end,
                }),
                _ => {
                    let behind = at < state.ring.start();
                    // After a rewind for another reader the ring comes back to where this one stands.
                    if behind && state.wanted.is_none_or(|wanted| at < wanted) {
                        state.wanted = Some(at);
                    }
                    Found::Nothing
                }
            }
        };
        let caught_up = at >= end;
        if let Some(entry) = state.readers.get_mut(&reader)
            && (entry.at != at || caught_up)
        {
            *entry = Reader { at, moved: now };
        }
        let readers: Vec<Reader> = state.readers.values().copied().collect();
        let due = state.reachable
            && (state.wanted.is_some() || pace::credit(state.granted, end, readers, now).is_some());
        let nudge = due && !state.nudged;
        state.nudged |= nudge;
        (found, nudge)
    }
}

#[cfg(test)]
mod tests {
    use roost_protocol::report::{Outcome, Terminal};
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
    async fn the_same_end_told_again_breaks_nothing_and_another_breaks_p1() {
        let now = Instant::now();
        let id = OperationId(Uuid::from_u128(1));
        let first = ended(Terminal::Done);
        let asked = Asked {
            kind: "sb_exec".to_owned(),
            workspace: None,
            agent: None,
            sandbox: None,
        };
        let live = Live::over(id, Target::Local, asked, first.clone(), 0, now);
        live.end(first, now);
        assert_eq!(Watch::EndChanged.count(), 0);
        live.end(ended(Terminal::Failed), now);
        assert_eq!(Watch::EndChanged.count(), 1);
        assert_eq!(live.ended().await.state, Terminal::Done, "the first stands");
    }
}
