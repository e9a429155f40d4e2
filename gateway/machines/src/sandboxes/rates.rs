//! Limits how fast commands and sandboxes may start: one bucket for each person and one for each workspace, which fill
//! again with time. Each command is a row of the database, an entry in a machine's ledger and a process there, so the
//! rate must have a limit.
//!
//! The buckets are in this gateway's memory: each of several gateways on one database allows the full rate.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use roost_platform::events::About;
use roost_platform::ids::{UserId, WorkspaceId};

/// How many commands may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// By one person or program, in a minute.
    pub a_user: u32,
    /// In one workspace, by people and by agents, in a minute.
    pub a_workspace: u32,
    /// How long a person's shell lives while nobody reads it.
    pub shell_unread: Duration,
}

/// The most buckets in memory. Full buckets are dropped first, because a new bucket is full as well.
const MOST_BUCKETS: usize = 10_000;

/// The starter of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starter {
    /// A person, or a program with a person's token.
    Person(UserId),
    /// An agent that works, and what it works for. Only its workspace's bucket counts.
    Agent(About),
}

/// Commands are started too fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} started {a_minute} commands and sandboxes a minute, which is the most", if *.by_workspace { "the workspace and its agents" } else { "you" })]
pub struct TooFast {
    /// The limit.
    pub a_minute: u32,
    /// Whether it is the workspace's limit, and not the person's.
    pub by_workspace: bool,
    /// Seconds until one more is possible.
    pub retry_after_s: u64,
}

/// All buckets. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    limits: CommandLimits,
    buckets: Arc<Mutex<Buckets>>,
}

#[derive(Debug, Default)]
struct Buckets {
    users: HashMap<UserId, Bucket>,
    workspaces: HashMap<WorkspaceId, Bucket>,
}

/// A bucket holds as many as a minute allows, and fills within a minute.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn full(a_minute: u32, now: Instant) -> Self {
        Self {
            left: f64::from(a_minute),
            at: now,
        }
    }

    fn filled(self, a_minute: u32, now: Instant) -> Self {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        let most = f64::from(a_minute);
        Self {
            left: (self.left + since * most / 60.0).min(most),
            at: now,
        }
    }

    /// Takes one, or returns the time until one is available.
    pub(super) fn take(&mut self, a_minute: u32) -> Result<(), Duration> {
        match self.wait(a_minute) {
            Some(wait) => Err(wait),
            None => {
                self.left -= 1.0;
                Ok(())
            }
        }
    }

    /// The time until one is available.
    fn wait(self, a_minute: u32) -> Option<Duration> {
        let missing = 1.0 - self.left;
        (missing > 0.0).then(|| Duration::from_secs_f64(missing * 60.0 / f64::from(a_minute)))
    }
}

impl Rates {
    pub(super) fn new(limits: CommandLimits) -> Self {
        Self {
            limits,
            buckets: Arc::default(),
        }
    }

    /// Takes one command from the starter's buckets. If one bucket is empty, it takes from none.
    pub(super) fn take(
        &self,
        workspace: WorkspaceId,
        starter: Starter,
        now: Instant,
    ) -> Result<(), TooFast> {
        let CommandLimits {
            a_user,
            a_workspace,
            ..
        } = self.limits;
        // Numbers in two maps: consistent after any line.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let Buckets { users, workspaces } = &mut *buckets;
        let all = bucket(workspaces, workspace, a_workspace, now);
        let own = match starter {
            Starter::Person(user) => Some(bucket(users, user, a_user, now)),
            Starter::Agent(_) => None,
        };
        let too_fast = |wait: Duration, a_minute, by_workspace| TooFast {
            a_minute,
            by_workspace,
            retry_after_s: wait.as_secs() + 1,
        };
        if let Some(wait) = own.as_ref().and_then(|own| own.wait(a_user)) {
            return Err(too_fast(wait, a_user, false));
        }
        if let Some(wait) = all.wait(a_workspace) {
            return Err(too_fast(wait, a_workspace, true));
        }
        all.left -= 1.0;
        if let Some(own) = own {
            own.left -= 1.0;
        }
        Ok(())
    }
}

pub(super) fn bucket<K: Hash + Eq + Copy>(
    buckets: &mut HashMap<K, Bucket>,
    whose: K,
    a_minute: u32,
    now: Instant,
) -> &mut Bucket {
    if buckets.len() >= MOST_BUCKETS && !buckets.contains_key(&whose) {
        buckets.retain(|_, bucket| bucket.filled(a_minute, now).left < f64::from(a_minute));
    }
    let bucket = buckets
        .entry(whose)
        .or_insert_with(|| Bucket::full(a_minute, now));
    *bucket = bucket.filled(a_minute, now);
    bucket
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(n: u128) -> Starter {
        Starter::Person(UserId(uuid::Uuid::from_u128(n)))
    }

    fn workspace(n: u128) -> WorkspaceId {
        WorkspaceId(uuid::Uuid::from_u128(n))
    }

    fn rates(a_user: u32, a_workspace: u32) -> Rates {
        Rates::new(CommandLimits {
            a_user,
            a_workspace,
            shell_unread: Duration::from_secs(60),
        })
    }

    #[test]
    fn a_person_may_start_a_minutes_worth_at_once_and_then_as_many_as_come_in_a_minute() {
        let (rates, begin) = (rates(60, 1000), Instant::now());
        let at = |seconds: f64| begin + Duration::from_secs_f64(seconds);
        for _ in 0..60 {
            assert_eq!(rates.take(workspace(1), user(1), begin), Ok(()));
        }
        let full = rates.take(workspace(1), user(1), begin).unwrap_err();
        assert_eq!((full.a_minute, full.retry_after_s), (60, 2));
        assert!(
            full.to_string()
                .contains("you started 60 commands and sandboxes a minute"),
            "{full}"
        );
        assert_eq!(
            rates.take(workspace(1), user(2), begin),
            Ok(()),
            "another person"
        );
        assert_eq!(rates.take(workspace(1), user(1), at(1.0)), Ok(()));
        assert!(rates.take(workspace(1), user(1), at(1.5)).is_err());
        // A pause fills the bucket, and not further.
        for _ in 0..60 {
            assert_eq!(rates.take(workspace(1), user(1), at(3600.0)), Ok(()));
        }
        assert!(rates.take(workspace(1), user(1), at(3600.0)).is_err());
    }

    #[test]
    fn a_workspace_is_bounded_with_all_its_people_and_agents_and_others_go_on() {
        let (rates, now) = (rates(10, 15), Instant::now());
        let agent = Starter::Agent(About::default());
        for n in 0..15 {
            let starter = if n % 2 == 0 { user(n) } else { agent };
            assert_eq!(rates.take(workspace(1), starter, now), Ok(()));
        }
        let full = rates.take(workspace(1), agent, now).unwrap_err();
        assert!(full.by_workspace && full.a_minute == 15);
        assert_eq!(rates.take(workspace(2), agent, now), Ok(()));
        // A refusal takes nothing from the person.
        for _ in 0..20 {
            assert!(rates.take(workspace(1), user(99), now).is_err());
        }
        assert_eq!(rates.take(workspace(2), user(99), now), Ok(()));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (rates, begin) = (rates(60, 60), Instant::now());
        for n in 0..(MOST_BUCKETS as u128 + 10) {
            let later = begin + Duration::from_secs(n as u64 / 1000);
            rates.take(workspace(n), user(n), later).unwrap();
        }
        let buckets = rates.buckets.lock().unwrap();
        assert!(
            buckets.users.len() <= MOST_BUCKETS + 1,
            "{}",
            buckets.users.len()
        );
    }
}
