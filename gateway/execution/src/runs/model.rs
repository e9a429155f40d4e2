//! The states of a run, the decision after a failure, and the keys of effects. Pure code.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::topology::{self, StepRef};
use roost_platform::backoff::BackOff;
use roost_platform::ids::RunId;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident as $schema:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = $schema)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// The word in the database and on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Parses a value from the database.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

pub(super) use words;

words! {
    /// The status of a run. The last three are final.
    Status as RunStatus {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl Status {
    /// Whether the status is final.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

words! {
    /// What works in a run. [`Origin`](super::origin::Origin) says where the run comes from.
    Kind as RunKind {
        /// One agent.
        Agent = "agent",
        Team = "team",
        Company = "company",
        Org = "org",
        /// Several teams work on one input.
        Compare = "compare",
    }
}

impl Kind {
    /// The kind of a run of this graph on this level.
    pub const fn of(tier: Tier, topology: topology::Kind) -> Self {
        match (topology, tier) {
            (topology::Kind::Compare, _) => Self::Compare,
            (_, Tier::Single) => Self::Agent,
            (_, Tier::Team) => Self::Team,
            (_, Tier::Company) => Self::Company,
            (_, Tier::Org) => Self::Org,
        }
    }
}

words! {
    /// The level of the organisation that runs.
    Tier as RunTier {
        Single = "single",
        Team = "team",
        Company = "company",
        Org = "org",
    }
}

words! {
    /// The status of a step. All but the first two are final.
    StepStatus as RunStepStatus {
        Running = "running",
        /// It waits for something outside, and nothing of it runs.
        Waiting = "waiting",
        Done = "done",
        Failed = "failed",
        /// The run was cancelled while the step worked.
        Cancelled = "cancelled",
    }
}

words! {
    /// The class of a failure. It decides what happens next.
    Class as FailureClass {
        /// The failure may pass without a change.
        Retryable = "retryable",
        /// The step's machine is away and may come back. The step waits for it.
        Away = "away",
        /// A retry would fail in the same way.
        Terminal = "terminal",
        /// A ceiling was reached. A person must raise it.
        Quota = "quota",
        /// The limit of turns was reached.
        Turns = "turns",
        /// A key or connection is missing or refused.
        NeedsAuth = "needs_auth",
    }
}

/// A silent run that was claimed this often fails: it probably crashes its owner.
pub const MOST_CLAIMS: i32 = 50;
/// The maximum number of attempts of one step.
const STEP_ATTEMPTS: u32 = 10;
/// The maximum number of retries in one run.
const RUN_RETRIES: u32 = 40;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest time between two polls of an absent machine.
const LONGEST_LOOK: Duration = Duration::from_secs(15);
/// The maximum depth of child runs. The root run has depth 0.
pub const MOST_DEPTH: i32 = 6;
/// The maximum number of runs in one tree, including the root run.
pub const MOST_OF_TREE: u64 = 1_000;

/// The decision on a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Retry after this time.
    Again(Duration),
    /// The step has failed.
    GivenUp,
}

/// Decides on a failed attempt. `attempt` counts from 1. `retries` counts the retries of the whole run so far.
/// `requested` is how long the other side asks the gateway to wait. `chance` is between 0 and 1 and spreads the waits.
pub fn after_failure(
    class: Class,
    attempt: u32,
    retries: u32,
    requested: Option<Duration>,
    chance: f64,
) -> Verdict {
    if class != Class::Retryable || attempt >= STEP_ATTEMPTS || retries >= RUN_RETRIES {
        return Verdict::GivenUp;
    }
    let back_off = BackOff {
        first: FIRST_WAIT,
        cap: LONGEST_WAIT,
    };
    // Between half and all of the wait, so that steps that failed together do not retry together.
    let spread = back_off.delay(attempt, 1.0 - chance.clamp(0.0, 1.0));
    let requested = requested.unwrap_or_default().min(LONGEST_WAIT);
    Verdict::Again(spread.max(requested))
}

/// Whether a failed attempt is the last one of its step, also when the run has retries left.
pub fn is_last(class: Class, attempt: u32) -> bool {
    match class {
        Class::Away => false,
        Class::Retryable => attempt >= STEP_ATTEMPTS,
        _ => true,
    }
}

/// Decides on a step whose machine is away. The absence counts no attempt of the step or the run, only the time since
/// it began. Without a `limit` it waits as long as the machine exists. `requested` is the longest time between two polls, for polls that cost more than a question.
pub fn after_absence(
    away: Duration,
    limit: Option<Duration>,
    requested: Option<Duration>,
    chance: f64,
) -> Verdict {
    if limit.is_some_and(|limit| away >= limit) {
        return Verdict::GivenUp;
    }
    // Poll often in a short absence and seldom in a long one.
    let longest = requested
        .unwrap_or(LONGEST_LOOK)
        .clamp(FIRST_WAIT, LONGEST_WAIT);
    let wait = (away / 4).clamp(FIRST_WAIT, longest);
    Verdict::Again(wait.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0)))
}

/// The key of an outside call. It is derived from the run, the step and the call's index in it, and not from the
/// owner. So a call that is repeated after a crash has the same key.
pub fn effect_key(run: RunId, step: &StepRef, call: u32) -> Uuid {
    derived(&format!("effect/{run}/{step}/{call}"))
}

/// The id of the run that a call of a step starts.
pub fn child_id(run: RunId, step: &StepRef, call: u32) -> RunId {
    RunId(derived(&match call {
        // The name that steps with one child have had from the beginning.
        0 => format!("child/{run}/{step}"),
        _ => format!("child/{run}/{step}/{call}"),
    }))
}

/// A UUID of version 8 (RFC 9562: custom content) derived from a name.
fn derived(name: &str) -> Uuid {
    let digest = Sha256::digest(name.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The status that a running run gets when its owner is silent.
pub fn after_silence(cancel_requested: bool, claims: i32) -> Status {
    if cancel_requested {
        Status::Cancelled
    } else if claims >= MOST_CLAIMS {
        Status::Failed
    } else {
        Status::Queued
    }
}

/// The maximum length of a run's title, in characters.
const MOST_TITLE: usize = 200;

/// The title of a run: the name of its team or agent, and the first line of its goal.
pub fn titled(name: &str, goal: &str) -> String {
    let first = goal.lines().map(str::trim).find(|line| !line.is_empty());
    let title = match first {
        Some(goal) => format!("{name}: {goal}"),
        None => name.to_owned(),
    };
    title.chars().take(MOST_TITLE).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn status_words_parse_back_and_unknown_words_do_not() {
        for status in [
            Status::Queued,
            Status::Running,
            Status::Completed,
            Status::Failed,
            Status::Cancelled,
        ] {
            assert_eq!(Status::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        assert_eq!(
            serde_json::to_value(Class::NeedsAuth).unwrap(),
            Class::NeedsAuth.as_str()
        );
        assert_eq!(Status::parse("done"), None);
    }

    #[test]
    fn terminal_failures_are_not_retried() {
        for class in [Class::Terminal, Class::Quota, Class::NeedsAuth] {
            assert_eq!(after_failure(class, 1, 0, None, 0.5), Verdict::GivenUp);
        }
        assert_eq!(
            after_failure(Class::Retryable, STEP_ATTEMPTS, 0, None, 0.5),
            Verdict::GivenUp
        );
        assert_eq!(
            after_failure(Class::Retryable, 1, RUN_RETRIES, None, 0.5),
            Verdict::GivenUp
        );
    }

    #[test]
    fn absence_is_waited_for_until_the_limit() {
        let most = Duration::from_secs(600);
        let limit = Some(most);
        assert_eq!(
            after_absence(most, limit, None, 0.5),
            Verdict::GivenUp,
            "so long, and no longer"
        );
        let month = Duration::from_secs(30 * 86_400);
        assert!(
            matches!(after_absence(month, None, None, 0.5), Verdict::Again(_)),
            "without a limit it waits"
        );
        let wait_after =
            |away, requested, chance| match after_absence(away, limit, requested, chance) {
                Verdict::Again(wait) => wait,
                Verdict::GivenUp => panic!("it may still come back"),
            };
        let wait_without_request = |away, chance| wait_after(away, None, chance);
        assert_eq!(wait_without_request(Duration::ZERO, 1.0), FIRST_WAIT);
        assert_eq!(
            wait_without_request(Duration::from_secs(20), 1.0).as_secs(),
            5
        );
        assert_eq!(
            wait_without_request(Duration::from_secs(599), 1.0),
            LONGEST_LOOK
        );
        assert_eq!(
            wait_without_request(Duration::from_secs(599), 0.0),
            LONGEST_LOOK / 2
        );
        let requested = Some(Duration::from_secs(45));
        assert_eq!(
            wait_after(Duration::from_secs(599), requested, 1.0).as_secs(),
            45
        );
        assert_eq!(wait_after(Duration::ZERO, requested, 1.0), FIRST_WAIT);
        let never = Some(Duration::MAX);
        assert_eq!(
            wait_after(Duration::from_secs(599), never, 1.0),
            LONGEST_WAIT
        );
    }

    #[test]
    fn cancelled_run_of_a_silent_owner_is_cancelled() {
        assert_eq!(after_silence(true, 0), Status::Cancelled);
        assert_eq!(after_silence(false, 0), Status::Queued);
        assert_eq!(after_silence(false, MOST_CLAIMS), Status::Failed);
    }

    /// A run in flight continues over an upgrade: its calls and children have the keys of the earlier version, which
    /// knew neither shards nor several children.
    #[test]
    fn keys_of_the_first_shard_stay_as_earlier_versions_made_them() {
        let run = RunId(Uuid::from_u128(7));
        let step = StepRef {
            key: "hub/plan".to_owned(),
            lap: 2,
            shard: 0,
        };
        let effect = effect_key(run, &step, 3);
        assert_eq!(effect.to_string(), "46096124-0555-829e-a4c4-e567960b16b9");
        let child = child_id(run, &step, 0);
        assert_eq!(child.to_string(), "171a319d-12cb-8f9b-bffc-d1d102a47938");
    }

    proptest! {
        #[test]
        fn waits_grow_stay_bounded_and_respect_the_requested_wait(
            attempt in 1..STEP_ATTEMPTS, chance in 0.0..=1.0f64, requested in 0u64..600,
        ) {
            let requested = Duration::from_secs(requested);
            let Verdict::Again(wait) = after_failure(Class::Retryable, attempt, 0, Some(requested), chance) else {
                panic!("a retryable failure within its budget is tried again");
            };
            prop_assert!(wait <= LONGEST_WAIT);
            prop_assert!(wait >= requested.min(LONGEST_WAIT));
            prop_assert!(wait >= FIRST_WAIT / 2);
        }

        #[test]
        fn keys_differ_with_each_of_their_parts(
            key in "[a-z/]{1,12}", lap in 0u32..9, shard in 0u32..9, call in 0u32..99,
        ) {
            let run = RunId(Uuid::from_u128(7));
            let step = StepRef { key, lap, shard };
            let effect = effect_key(run, &step, call);
            prop_assert_eq!(effect, effect_key(run, &step, call));
            prop_assert_ne!(effect, effect_key(run, &step, call + 1));
            prop_assert_ne!(effect, effect_key(run, &StepRef { lap: lap + 1, ..step.clone() }, call));
            prop_assert_ne!(effect, effect_key(run, &StepRef { shard: shard + 1, ..step.clone() }, call));
            prop_assert_ne!(effect, effect_key(RunId(Uuid::from_u128(8)), &step, call));
            prop_assert_ne!(effect, child_id(run, &step, call).0);
            prop_assert_ne!(child_id(run, &step, call), child_id(run, &step, call + 1));
            let beside = StepRef { shard: shard + 1, ..step.clone() };
            prop_assert_ne!(child_id(run, &step, call), child_id(run, &beside, call));
        }
    }
}
