//! One operation in a node's ledger. Promise P2: an id starts at most once, across reconnects and restarts.
//!
//! ```text
//!  Unknown ──request──▶ Recorded ──begin──▶ Started ──finish──▶ Ended ──ack──▶ Acked ──24 h──▶ Forgotten
//!                       (synced)   │                             ▲ (synced)
//!                                  └── cancel before begin ──────┘
//! ```
//!
//! `Recorded` is synced before the engine or a guest is called. `Started` is only in memory, because a mark that may be
//! missing proves nothing: after a restart both mean "may have started", and [`Slot::recover`] decides by the kind of
//! work. Repeated requests start nothing and are answered with the present state. An unacknowledged end is kept at any
//! age: without it the same id could start again.
use serde::{Deserialize, Serialize};

use crate::limits::RESULT_RETENTION_S;
use crate::operation::Operation;
use crate::report::{Ended, ErrorKind, Report, Terminal};

/// Kinds of work. They differ in what a restart may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Verify,
    Provision,
    Exec,
    Destroy,
    Health,
    List,
    Flush,
}

impl Kind {
    /// The kind of an operation; `None` for one that this version does not know.
    pub fn of(operation: &Operation) -> Option<Self> {
        Some(match operation {
            Operation::Verify(_) => Self::Verify,
            Operation::SbProvision(_) => Self::Provision,
            Operation::SbExec(_) => Self::Exec,
            Operation::SbDestroy(_) => Self::Destroy,
            Operation::SbHealth(_) => Self::Health,
            Operation::SbList(_) => Self::List,
            Operation::SbFlush(_) => Self::Flush,
            Operation::Unsupported => return None,
        })
    }
}

/// The stage in the ledger's file; absent means unknown or forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    Recorded,
    Started,
    Ended { ended: Ended },
    Acked { ended: Ended },
}

/// Effects to carry out in this order. The process may end between any two.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write this stage and sync it before the next effect. If that fails, call [`Slot::write_failed`] and carry out
    /// its effects instead of the rest.
    Write(Stage),
    /// Report to the gateway, if one is connected.
    Report(Report),
    /// Call [`Slot::begin`] and, if it returns true, do the work. The work finds what an earlier attempt made (a
    /// sandbox by its labels, a command by its id in the guest) and does not make it twice.
    Start,
    /// Resume the command that the guest still holds, from the last spooled offset.
    Reattach,
    /// Stop the work: the whole process tree of a command is killed. Its end arrives through [`Slot::finish`].
    Stop,
    /// Drop the output except the last kept part.
    TrimOutput,
    /// Remove the entry and its output.
    Erase,
}

/// What is known after a restart about a command that had not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The guest holds the command, running or ended.
    GuestKnows,
    /// The same guest process answers and does not know the command: the start never arrived.
    GuestDoesNotKnow,
    /// The sandbox is gone or its guest was restarted: what ran there cannot be known.
    SandboxGone,
    /// Engine or guest do not answer: ask again later and decide nothing.
    Silent,
}

/// The ledger's entry of one operation in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    kind: Kind,
    stage: Stage,
    /// Nothing of it can have run: this process recorded it, or the guest reports that it never saw it.
    fresh: bool,
    /// [`Self::begin`] may return true: this process recorded it, or recovery decided to repeat it.
    ready: bool,
    stopping: bool,
    /// An end that is not written yet.
    unwritten: Option<Ended>,
    /// When the present stage was entered (after a restart: when it was read), for the retention.
    since_ms: u64,
}

impl Slot {
    /// Records an admitted operation.
    pub fn record(kind: Kind, now_ms: u64) -> (Self, Vec<Effect>) {
        let slot = Self {
            kind,
            stage: Stage::Recorded,
            fresh: true,
            ready: true,
            stopping: false,
            unwritten: None,
            since_ms: now_ms,
        };
        let effects = vec![
            Effect::Write(Stage::Recorded),
            Effect::Report(Report::Accepted),
            Effect::Start,
        ];
        (slot, effects)
    }

    /// An entry from the ledger's file after a restart. Retention starts again now, so it is never too short.
    pub fn load(kind: Kind, stage: Stage, now_ms: u64) -> Self {
        Self {
            kind,
            stage,
            fresh: false,
            ready: false,
            stopping: false,
            unwritten: None,
            since_ms: now_ms,
        }
    }

    /// Kind of work.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The end, if it has ended.
    pub fn ended(&self) -> Option<&Ended> {
        match &self.stage {
            Stage::Ended { ended } | Stage::Acked { ended } => Some(ended),
            Stage::Recorded | Stage::Started => None,
        }
    }

    /// Whether the inventory lists it: every operation that the gateway has not acknowledged.
    pub fn listed(&self) -> bool {
        !matches!(self.stage, Stage::Acked { .. })
    }

    /// Whether it is in flight.
    pub fn in_flight(&self) -> bool {
        self.ended().is_none()
    }

    /// The answer to a repeated request and to a reconcile: the present state. Nothing is started.
    pub fn answer(&self) -> Report {
        match self.ended() {
            Some(ended) => Report::Ended(ended.clone()),
            None => Report::Accepted,
        }
    }

    /// The answer to a reconcile for an id, with or without an entry.
    pub fn answer_of(slot: Option<&Self>) -> Report {
        slot.map_or(Report::NeverSeen, Self::answer)
    }

    /// Call this right before the engine is called. It returns false when the operation was cancelled, has ended, has
    /// begun already, or comes from an earlier process and was not recovered.
    pub fn begin(&mut self) -> bool {
        let begins = self.stage == Stage::Recorded && std::mem::take(&mut self.ready);
        if begins {
            self.stage = Stage::Started;
        }
        begins
    }

    /// Records the end of the work. Only the first end counts.
    pub fn finish(&mut self, ended: Ended, now_ms: u64) -> Vec<Effect> {
        if self.ended().is_some() || self.unwritten.is_some() {
            return Vec::new();
        }
        self.stage = Stage::Ended {
            ended: ended.clone(),
        };
        self.since_ms = now_ms;
        vec![
            Effect::Write(self.stage.clone()),
            Effect::Report(Report::Ended(ended)),
        ]
    }

    /// Handles a request to stop. Work that has not begun never begins. Work that an earlier process may have begun is
    /// not reported as cancelled at once: [`Self::recover`] stops an existing command, and other work is repeated to
    /// its end, where the driver checks [`Self::stopping`] to undo it.
    pub fn cancel(&mut self, now_ms: u64) -> Vec<Effect> {
        match &self.stage {
            Stage::Recorded if self.fresh => self.never_began(now_ms),
            Stage::Recorded => {
                self.stopping = true;
                Vec::new()
            }
            Stage::Started if self.stopping || self.unwritten.is_some() => Vec::new(),
            Stage::Started => {
                self.stopping = true;
                vec![Effect::Stop]
            }
            Stage::Ended { ended } => vec![Effect::Report(Report::Ended(ended.clone()))],
            Stage::Acked { .. } => Vec::new(),
        }
    }

    fn never_began(&mut self, now_ms: u64) -> Vec<Effect> {
        let detail = "cancelled before it began; nothing ran";
        let ended = Ended::without_result(Terminal::Cancelled, ErrorKind::Cancelled, detail);
        self.finish(ended, now_ms)
    }

    /// Whether a stop was requested. The driver ends such work as `cancelled`.
    pub fn stopping(&self) -> bool {
        self.stopping
    }

    /// The gateway stored the end.
    pub fn ack(&mut self, now_ms: u64) -> Vec<Effect> {
        let Stage::Ended { ended } = &self.stage else {
            return Vec::new();
        };
        self.stage = Stage::Acked {
            ended: ended.clone(),
        };
        self.since_ms = now_ms;
        vec![Effect::Write(self.stage.clone()), Effect::TrimOutput]
    }

    /// Lets time pass: an end that could not be written is tried again, and an acknowledged operation is forgotten
    /// after the retention.
    pub fn tick(&mut self, now_ms: u64) -> Vec<Effect> {
        if let Some(ended) = self.unwritten.take() {
            return self.finish(ended, now_ms);
        }
        let age_ms = now_ms.saturating_sub(self.since_ms);
        if matches!(self.stage, Stage::Acked { .. }) && age_ms >= RESULT_RETENTION_S * 1000 {
            vec![Effect::Erase]
        } else {
            Vec::new()
        }
    }

    /// Handles a failed [`Effect::Write`] (disk full). A record that was not written starts nothing and is refused. An
    /// end or an ack that was not written is not reported either, because a restart would contradict it; [`Self::tick`]
    /// tries it again.
    pub fn write_failed(&mut self, detail: &str) -> Vec<Effect> {
        match std::mem::replace(&mut self.stage, Stage::Started) {
            Stage::Recorded | Stage::Started => {
                let detail =
                    format!("the ledger cannot be written ({detail}); nothing was started");
                let ended = Ended::without_result(Terminal::Failed, ErrorKind::DiskFull, detail);
                self.stage = Stage::Ended {
                    ended: ended.clone(),
                };
                vec![Effect::Report(Report::Ended(ended)), Effect::Erase]
            }
            Stage::Ended { ended } => {
                self.unwritten = Some(ended);
                Vec::new()
            }
            Stage::Acked { ended } => {
                self.stage = Stage::Ended { ended };
                Vec::new()
            }
        }
    }

    /// Decides after a restart about an entry without an end. `evidence`, and `output_end` (where the spooled output
    /// ends), matter only for commands.
    pub fn recover(&mut self, evidence: Evidence, output_end: u64, now_ms: u64) -> Vec<Effect> {
        if !self.in_flight() {
            return Vec::new();
        }
        match (self.kind, evidence) {
            // Checks are harmless; provision and destroy find what the first attempt left, and so does a snapshot.
            (
                Kind::Verify
                | Kind::Health
                | Kind::List
                | Kind::Flush
                | Kind::Provision
                | Kind::Destroy,
                _,
            ) => self.do_again(),
            (Kind::Exec, Evidence::GuestKnows) => {
                self.stage = Stage::Started;
                let mut effects = vec![Effect::Reattach];
                effects.extend(self.stopping.then_some(Effect::Stop));
                effects
            }
            (Kind::Exec, Evidence::GuestDoesNotKnow) if self.stopping => self.never_began(now_ms),
            (Kind::Exec, Evidence::GuestDoesNotKnow) => {
                self.fresh = true;
                self.do_again()
            }
            (Kind::Exec, Evidence::Silent) => Vec::new(),
            (Kind::Exec, Evidence::SandboxGone) => {
                let detail =
                    "the sandbox was lost while the command ran; the command may have had effects";
                let ended = Ended {
                    output_end,
                    ..Ended::without_result(Terminal::Lost, ErrorKind::Interrupted, detail)
                };
                self.finish(ended, now_ms)
            }
        }
    }

    fn do_again(&mut self) -> Vec<Effect> {
        self.stage = Stage::Recorded;
        self.ready = true;
        vec![Effect::Start]
    }
}
