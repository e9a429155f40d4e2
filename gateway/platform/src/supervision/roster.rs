//! The live roster: one [`Entry`] for each child, held by the [`Branch`] of its supervisor. The supervisors keep their
//! state in it and addresses send through it, so operators always see what runs. Reading it sends no message to an
//! actor.

use std::any::TypeId;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use ractor::ActorCell;
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use super::branch::Branch;
use super::carried::Carried;
use super::failure::NoAnswer;
use super::gauge::{Gauge, Reading};
use super::spec::ChildMeta;
use crate::clock::Clock;

/// The state of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorState {
    /// It is being started, for the first time or again.
    Starting,
    /// It runs.
    Running,
    /// It failed and waits for its restart.
    BackingOff,
    /// It was asked to stop and is within its grace.
    Stopping,
    /// It ended cleanly.
    Stopped,
    /// It failed permanently. An operator may restart it.
    Failed,
}

impl ActorState {
    /// The name on the wire.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::BackingOff => "backing_off",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// One failure, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastFailure {
    /// When the supervisor noticed it.
    pub at: DateTime<Utc>,
    /// The error and its causes, at most 2,000 bytes.
    pub text: String,
}

/// Why an incarnation of an actor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// It returned an error, panicked, was killed, or could not be started again.
    Failed,
    /// It ended by itself.
    Ended,
    /// An operator restarted it.
    Operator,
}

/// One end of an incarnation of an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PastEnd {
    /// The time of the end.
    pub at: DateTime<Utc>,
    /// The cause of the end.
    pub cause: EndCause,
    /// The error and its causes.
    pub text: Option<String>,
}

/// The number of ends that an entry keeps. The oldest is dropped first.
const PAST_ENDS: usize = 8;

/// The changing part of an entry.
#[derive(Debug, Clone)]
pub(super) struct Life {
    pub(super) state: ActorState,
    pub(super) created_at: Option<DateTime<Utc>>,
    pub(super) started_at: Option<DateTime<Utc>>,
    pub(super) up_since: Option<Instant>,
    pub(super) restarts: u64,
    pub(super) last_failure: Option<LastFailure>,
    pub(super) restart_due: Option<Instant>,
    /// The latest ends, oldest first.
    pub(super) past: VecDeque<PastEnd>,
    /// One token for each start attempt of which anything may still exist. It fires when nothing does. There may be
    /// several: an attempt that is stopped while it waits for the one before must not make the roster forget that one.
    pub(super) attempts: Vec<CancellationToken>,
}

/// One incarnation of an actor: from a start to the end that follows.
#[derive(Debug, Clone)]
pub(super) struct Incarnation {
    pub(super) cell: ActorCell,
    pub(super) gauge: Arc<Gauge>,
    /// Asks the actor's long awaits and its jobs to end.
    pub(super) cancel: CancellationToken,
}

/// One row of the roster, and the target of addresses. It persists across restarts.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) meta: ChildMeta,
    pub(super) message_type: TypeId,
    path: OnceLock<Arc<str>>,
    pub(super) order: AtomicU64,
    pub(super) dynamic: AtomicBool,
    live: RwLock<Option<Incarnation>>,
    life: Mutex<Life>,
    handled_before: AtomicU64,
    lost: AtomicU64,
    /// Children: a supervisor's own, or the jobs of an actor.
    branch: OnceLock<Arc<Branch>>,
}

impl Entry {
    pub(super) fn new(meta: ChildMeta, message_type: TypeId) -> Arc<Self> {
        Arc::new(Self {
            meta,
            message_type,
            path: OnceLock::new(),
            order: AtomicU64::new(0),
            dynamic: AtomicBool::new(false),
            live: RwLock::new(None),
            life: Mutex::new(Life {
                state: ActorState::Starting,
                created_at: None,
                started_at: None,
                up_since: None,
                restarts: 0,
                last_failure: None,
                restart_due: None,
                past: VecDeque::new(),
                attempts: Vec::new(),
            }),
            handled_before: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            branch: OnceLock::new(),
        })
    }

    /// The stable id: names from the root down, joined by `/`. Before the entry is in a tree: the name alone.
    pub(super) fn path(&self) -> &str {
        self.path.get().map_or(&self.meta.name, |path| path)
    }

    /// Puts the entry into a tree. `false`: it is already in another place.
    pub(super) fn attach(&self, path: String, order: u64, dynamic: bool) -> bool {
        let same = self.path.get_or_init(|| path.clone().into()).as_ref() == path;
        self.order.store(order, Ordering::Relaxed);
        self.dynamic.store(dynamic, Ordering::Relaxed);
        same
    }

    pub(super) fn is_dynamic(&self) -> bool {
        self.dynamic.load(Ordering::Relaxed)
    }

    /// The branch of the children, created at its first use.
    pub(super) fn branch(&self) -> &Arc<Branch> {
        self.branch
            .get_or_init(|| Branch::new(super::spec::JOB_TOMBSTONES))
    }

    pub(super) fn branch_if_any(&self) -> Option<&Arc<Branch>> {
        self.branch.get()
    }

    pub(super) fn set_branch(&self, branch: Arc<Branch>) {
        assert!(
            self.branch.set(branch).is_ok(),
            "a supervisor's entry gets its branch where it is made"
        );
    }

    pub(super) fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_state(&self, state: ActorState) {
        let mut life = self.life();
        life.state = state;
        life.restart_due = None;
    }

    /// Records an end, for people who ask why it was restarted.
    pub(super) fn note_end(&self, at: DateTime<Utc>, cause: EndCause, text: Option<&str>) {
        let mut life = self.life();
        if life.past.len() == PAST_ENDS {
            life.past.pop_front();
        }
        let text = text.map(str::to_owned);
        life.past.push_back(PastEnd { at, cause, text });
    }

    pub(super) fn note_failure(&self, at: DateTime<Utc>, text: &str) {
        self.life().last_failure = Some(LastFailure {
            at,
            text: text.to_owned(),
        });
    }

    /// Publishes a new incarnation: from now on addresses reach it.
    pub(super) fn publish(&self, incarnation: Incarnation, clock: &dyn Clock) {
        let now = clock.now();
        {
            let mut life = self.life();
            life.created_at.get_or_insert(now);
            life.started_at = Some(now);
            life.up_since = Some(clock.monotonic());
        }
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Some(incarnation);
    }

    /// Ends an incarnation. Its counts are kept, and its unread messages are counted as lost.
    pub(super) fn retire(&self, gauge: &Arc<Gauge>) {
        let reading = gauge.read();
        self.handled_before
            .fetch_add(reading.handled, Ordering::Relaxed);
        self.lost.fetch_add(reading.open as u64, Ordering::Relaxed);
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        if live
            .as_ref()
            .is_some_and(|incarnation| Arc::ptr_eq(&incarnation.gauge, gauge))
        {
            *live = None;
        }
    }

    /// The current incarnation.
    pub(super) fn incarnation(&self) -> Option<Incarnation> {
        self.live
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sends to the current incarnation.
    pub(super) fn send<M: Send + 'static>(&self, message: M) -> Result<(), NoAnswer> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let Some(incarnation) = live.as_ref() else {
            drop(live);
            return Err(self.absence());
        };
        incarnation.gauge.admit().map_err(|bound| NoAnswer::Full {
            path: self.path().to_owned(),
            bound,
        })?;
        if incarnation
            .cell
            .send_message(Carried::new(message))
            .is_err()
        {
            incarnation.gauge.retract();
            drop(live);
            return Err(self.absence());
        }
        Ok(())
    }

    /// Why the actor is not alive now.
    fn absence(&self) -> NoAnswer {
        let path = self.path().to_owned();
        let life = self.life();
        match life.state {
            ActorState::Stopping | ActorState::Stopped => NoAnswer::NoSuchActor { path },
            ActorState::Failed => {
                let failure = life
                    .last_failure
                    .as_ref()
                    .map_or_else(|| "unknown".to_owned(), |failure| failure.text.clone());
                NoAnswer::Failed { path, failure }
            }
            // It may be `Running`: it has just died and its supervisor has not noticed yet.
            ActorState::Starting | ActorState::Running | ActorState::BackingOff => {
                NoAnswer::Restarting { path }
            }
        }
    }

    /// Messages handled by all incarnations, messages lost with ended ones, and the current mailbox.
    pub(super) fn traffic(&self) -> (u64, u64, Option<Reading>) {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let reading = live.as_ref().map(|incarnation| incarnation.gauge.read());
        let handled = self.handled_before.load(Ordering::Relaxed)
            + reading.map_or(0, |reading| reading.handled);
        (handled, self.lost.load(Ordering::Relaxed), reading)
    }

    /// Records a new start attempt; `gone` fires when nothing of it exists any more.
    pub(super) fn attempt(&self, gone: CancellationToken) {
        let mut life = self.life();
        life.attempts.retain(|gone| !gone.is_cancelled());
        life.attempts.push(gone);
    }

    /// The tokens that fire when every incarnation, every start attempt, and everything below them are gone.
    pub(super) fn signs_of_life(&self) -> Vec<CancellationToken> {
        let mut signs = self.life().attempts.clone();
        if let Some(branch) = self.branch.get() {
            signs.extend(branch.leaving(None));
            for child in branch.entries() {
                signs.extend(child.signs_of_life());
            }
        }
        signs.retain(|gone| !gone.is_cancelled());
        signs
    }
}

/// Waits until all of these have fired. `false`: not within the time.
pub(super) async fn all_gone(signs: &[CancellationToken], within: Duration) -> bool {
    let all = async {
        for gone in signs {
            gone.cancelled().await;
        }
    };
    tokio::time::timeout(within, all).await.is_ok()
}
