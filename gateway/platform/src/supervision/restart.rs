//! Decides when and what to restart, as pure functions of what happened, when, and a random number that is passed in.
//! They use no actor, no clock and no I/O. The supervisor follows their verdict.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::Serialize;
use utoipa::ToSchema;

pub use crate::backoff::BackOff;

/// Whether an actor that ended is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// Always, however it ended.
    Permanent,
    /// Only after a failure. A clean end is final.
    Transient,
    /// Never.
    Temporary,
}

/// How an actor ended, for the restart decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It stopped by itself and its stop hook completed.
    Clean,
    /// It returned an error, panicked, was killed, or could not be started again.
    Failed,
}

/// How many restarts are normal within a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intensity {
    /// Restarts that are allowed within the period. Zero: the first failure is final.
    pub max: u32,
    /// The period.
    pub within: Duration,
}

impl Default for Intensity {
    /// Eight in a minute. With the default back-off that is about ten seconds of attempts.
    fn default() -> Self {
        Self {
            max: 8,
            within: Duration::from_secs(60),
        }
    }
}

/// What to do with a child that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: the end is final.
    Leave,
    /// Start it again after this wait.
    Restart(Duration),
    /// It failed more often than the intensity allows.
    Exhausted,
}

/// The history for restart decisions: recent restarts, and failures in a row.
#[derive(Debug, Clone)]
pub struct History {
    intensity: Intensity,
    recent: VecDeque<Instant>,
    in_a_row: u32,
}

impl History {
    /// An empty history.
    pub fn new(intensity: Intensity) -> Self {
        Self {
            intensity,
            recent: VecDeque::new(),
            in_a_row: 0,
        }
    }

    /// Clears the history, as after an operator's restart.
    pub fn clear(&mut self) {
        self.recent.clear();
        self.in_a_row = 0;
    }

    /// Restarts that still count at `now`.
    pub fn recent(&mut self, now: Instant) -> usize {
        let within = self.intensity.within;
        while self
            .recent
            .front()
            .is_some_and(|at| now.saturating_duration_since(*at) >= within)
        {
            self.recent.pop_front();
        }
        self.recent.len()
    }

    /// Counts one restart. `false`: the intensity allows no more.
    pub fn admit(&mut self, now: Instant) -> bool {
        if self.recent(now) >= self.intensity.max as usize {
            return false;
        }
        self.recent.push_back(now);
        true
    }

    /// Counts one end in a row and returns the count. After a whole period of running, the count starts at one again.
    pub fn streak(&mut self, up_for: Duration) -> u32 {
        if up_for >= self.intensity.within {
            self.in_a_row = 0;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.in_a_row
    }
}

/// Whether the policy restarts after this ending.
pub fn wants_restart(policy: Restart, ending: Ending) -> bool {
    match policy {
        Restart::Permanent => true,
        Restart::Transient => ending == Ending::Failed,
        Restart::Temporary => false,
    }
}

/// One end of one child.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The child's policy.
    pub policy: Restart,
    /// How it ended.
    pub ending: Ending,
    /// How long it had been running; zero when it did not start.
    pub up_for: Duration,
    /// When the end was noticed.
    pub now: Instant,
    /// A random number in 0..=1.
    pub jitter: f64,
}

/// The decision for one child: first the policy, then the allowance (shared by static siblings, or the child's `own`),
/// then the wait from the child's own streak.
pub fn judge(
    case: Case,
    own: &mut History,
    shared: Option<&mut History>,
    back_off: BackOff,
) -> Verdict {
    if !wants_restart(case.policy, case.ending) {
        return Verdict::Leave;
    }
    let streak = own.streak(case.up_for);
    if !shared.unwrap_or(own).admit(case.now) {
        return Verdict::Exhausted;
    }
    Verdict::Restart(back_off.delay(streak, case.jitter))
}
