//! Which snapshots are kept. Pure: it names files and digests, the store writes and removes them.
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use roost_protocol::control::Kept;
use roost_protocol::ids::AgentId;
use roost_protocol::snapshot::Stored;

/// Most snapshots of one agent on this machine, the latest ones.
const MOST_OF_AGENT: usize = 50;
/// A younger snapshot is never removed to make room: the gateway may not have named it yet.
const SETTLED_S: i64 = 3600;
/// An agent must be unknown to the gateway for this long without a break before its snapshots are removed. A gateway
/// that was started on the wrong database must not cost anybody their work.
const ABSENT: Duration = Duration::from_secs(24 * 60 * 60);

/// The snapshots of all agents.
#[derive(Debug, Default)]
pub struct Shelf {
    agents: BTreeMap<AgentId, Snapshots>,
    /// Snapshots that the gateway wants for new sandboxes or for people. While this is `None`, nothing is removed to
    /// make room.
    named: Option<HashSet<String>>,
}

/// The snapshots of one agent, oldest first.
#[derive(Debug, Default)]
struct Snapshots {
    stored: Vec<Stored>,
    /// Since when the gateway does not know the agent, on the monotonic clock.
    absent: Option<Duration>,
}

/// What the store does after a snapshot was added.
#[derive(Debug)]
pub struct Added {
    /// The snapshot with its time.
    pub stored: Stored,
    /// The agent's list to write.
    pub list: Vec<Stored>,
    /// The list before, for [`Shelf::not_written`].
    before: Vec<Stored>,
    /// Whether the agent's oldest snapshots were dropped. Their chunks may be needed no more.
    pub dropped: bool,
}

impl Shelf {
    /// Adds what was found on disk.
    pub fn found(&mut self, agent: AgentId, stored: Vec<Stored>) {
        self.agents.insert(
            agent,
            Snapshots {
                stored,
                absent: None,
            },
        );
    }

    pub fn latest(&self, agent: AgentId) -> Option<&Stored> {
        self.agents.get(&agent)?.stored.last()
    }

    /// The latest snapshot of each agent, newest first.
    pub fn all_latest(&self) -> Vec<Stored> {
        let latest = self.agents.values().filter_map(|of| of.stored.last());
        let mut latest: Vec<Stored> = latest.cloned().collect();
        latest.sort_by_key(|stored| std::cmp::Reverse(stored.taken_at_s));
        latest
    }

    /// All snapshots.
    pub fn all(&self) -> impl Iterator<Item = &Stored> {
        self.agents.values().flat_map(|of| &of.stored)
    }

    /// Adds a snapshot as the latest of its agent.
    pub fn add(&mut self, mut stored: Stored, now_s: i64) -> Added {
        let of = self.agents.entry(stored.agent).or_default();
        let before = of.stored.clone();
        let after = of.stored.last().map_or(i64::MIN, |last| last.taken_at_s);
        // The time orders the snapshots of an agent, so it rises even when the clock does not.
        stored.taken_at_s = now_s.max(after.saturating_add(1));
        of.absent = None;
        of.stored.retain(|known| known.digest != stored.digest);
        of.stored.push(stored.clone());
        let more = of.stored.len().saturating_sub(MOST_OF_AGENT);
        of.stored.drain(..more);
        Added {
            stored,
            list: of.stored.clone(),
            before,
            dropped: more > 0,
        }
    }

    /// Takes back a snapshot whose list could not be written. The file still has the list of before, and a snapshot that
    /// only the memory knows would be lost with the next restart.
    pub fn not_written(&mut self, added: Added) {
        let Some(of) = self.agents.get_mut(&added.stored.agent) else {
            return;
        };
        if of.stored == added.list {
            of.stored = added.before;
        } else {
            // Another sandbox of the agent has added one meanwhile.
            of.stored.retain(|stored| *stored != added.stored);
        }
    }

    /// Removes an agent's snapshots.
    pub fn forget(&mut self, agent: AgentId) -> bool {
        self.agents.remove(&agent).is_some()
    }

    /// Applies the gateway's list of what to keep. Returns the agents whose snapshots are removed.
    pub fn keep(&mut self, kept: &Kept, monotonic: Duration) -> Vec<AgentId> {
        let known: HashSet<&AgentId> = kept.agents.iter().collect();
        let named: HashSet<String> = kept.archives.iter().cloned().collect();
        let mut gone = Vec::new();
        for (agent, of) in &mut self.agents {
            let wanted = known.contains(agent)
                || of
                    .stored
                    .iter()
                    .any(|stored| named.contains(&stored.digest));
            if wanted {
                of.absent = None;
            } else if monotonic.saturating_sub(*of.absent.get_or_insert(monotonic)) >= ABSENT {
                gone.push(*agent);
            }
        }
        for agent in &gone {
            self.agents.remove(agent);
        }
        self.named = Some(named);
        gone
    }

    /// Removes the snapshots that are neither the latest of their agent, nor named by the gateway, nor young. Returns
    /// the lists that changed.
    pub fn make_room(&mut self, now_s: i64) -> Vec<(AgentId, Vec<Stored>)> {
        let Some(named) = &self.named else {
            return Vec::new();
        };
        let mut changed = Vec::new();
        for (agent, of) in &mut self.agents {
            let (before, latest) = (of.stored.len(), of.stored.last().cloned());
            of.stored.retain(|stored| {
                Some(stored) == latest.as_ref()
                    || named.contains(&stored.digest)
                    || now_s.saturating_sub(stored.taken_at_s) < SETTLED_S
            });
            if of.stored.len() < before {
                changed.push((*agent, of.stored.clone()));
            }
        }
        changed
    }

    /// The digests that are kept, without repetition.
    pub fn digests(&self) -> BTreeSet<(roost_protocol::ids::WorkspaceId, String)> {
        self.all()
            .map(|stored| (stored.workspace, stored.digest.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::ids::{SandboxId, WorkspaceId};

    fn id<T: From<uuid::Uuid>>(n: u128) -> T {
        uuid::Uuid::from_u128(n).into()
    }

    fn stored(agent: u128, digest: &str) -> Stored {
        Stored {
            sandbox: id::<SandboxId>(agent),
            workspace: id::<WorkspaceId>(1),
            agent: id(agent),
            digest: digest.to_owned(),
            files: 1,
            bytes: 1,
            taken_at_s: 0,
            left_out: Vec::new(),
        }
    }

    fn kept(agents: &[u128], archives: &[&str]) -> Kept {
        Kept {
            agents: agents.iter().map(|n| id(*n)).collect(),
            archives: archives.iter().map(|&digest| digest.to_owned()).collect(),
        }
    }

    fn digests(shelf: &Shelf) -> Vec<&str> {
        shelf.all().map(|stored| stored.digest.as_str()).collect()
    }

    #[test]
    fn time_of_an_agents_snapshots_rises_when_the_clock_does_not() {
        let mut shelf = Shelf::default();
        assert_eq!(shelf.add(stored(1, "a"), 100).stored.taken_at_s, 100);
        assert_eq!(shelf.add(stored(1, "b"), 100).stored.taken_at_s, 101);
        assert_eq!(shelf.add(stored(1, "c"), 50).stored.taken_at_s, 102);
        // A workspace that returns to an older state has that state as its latest.
        assert_eq!(shelf.add(stored(1, "a"), 200).stored.taken_at_s, 200);
        assert_eq!(digests(&shelf), ["b", "c", "a"]);
        assert_eq!(shelf.latest(id(1)).unwrap().digest, "a");
    }

    #[test]
    fn snapshot_whose_list_was_not_written_leaves_the_list_of_before() {
        let mut shelf = Shelf::default();
        for n in 0..MOST_OF_AGENT {
            shelf.add(stored(1, &n.to_string()), 0);
        }
        let before = shelf.all().cloned().collect::<Vec<_>>();
        let added = shelf.add(stored(1, "new"), 0);
        assert!(added.dropped);
        shelf.not_written(added);
        assert_eq!(shelf.all().cloned().collect::<Vec<_>>(), before);
        // One that was added meanwhile stays.
        let added = shelf.add(stored(1, "new"), 0);
        shelf.add(stored(1, "newer"), 0);
        shelf.not_written(added);
        assert!(!digests(&shelf).contains(&"new"));
        assert_eq!(shelf.latest(id(1)).unwrap().digest, "newer");
    }

    #[test]
    fn latest_named_and_young_snapshots_are_kept_when_room_is_made() {
        let mut shelf = Shelf::default();
        for (at, digest) in [(0, "old"), (1, "named"), (9000, "young"), (9001, "latest")] {
            shelf.add(stored(1, digest), at);
        }
        shelf.add(stored(2, "alone"), 0);
        assert!(shelf.make_room(10_000).is_empty(), "no list of the gateway");
        shelf.keep(&kept(&[1, 2], &["named"]), Duration::ZERO);
        let changed = shelf.make_room(10_000);
        assert_eq!(changed.len(), 1);
        assert_eq!(digests(&shelf), ["named", "young", "latest", "alone"]);
        shelf.make_room(99_000);
        assert_eq!(digests(&shelf), ["named", "latest", "alone"]);
    }

    #[test]
    fn snapshots_of_unknown_agents_are_removed_after_an_unbroken_day() {
        const HOUR: Duration = Duration::from_secs(3600);
        let mut shelf = Shelf::default();
        for agent in 1..=3 {
            shelf.add(stored(agent, &format!("of {agent}")), 0);
        }
        let mut gone = |known: &[u128], named: &[&str], hours: u32| {
            shelf.keep(&kept(known, named), hours * HOUR)
        };
        assert!(gone(&[2], &["of 3"], 1).is_empty());
        assert!(gone(&[1, 2], &["of 3"], 20).is_empty());
        assert!(gone(&[2], &["of 3"], 26).is_empty());
        assert_eq!(gone(&[2], &["of 3"], 50), [id(1)]);
        assert_eq!(digests(&shelf), ["of 2", "of 3"]);
    }

    #[test]
    fn purged_agent_has_no_snapshots() {
        let mut shelf = Shelf::default();
        shelf.add(stored(1, "a"), 0);
        shelf.add(stored(2, "a"), 0);
        assert!(shelf.forget(id(1)));
        assert!(!shelf.forget(id(1)));
        assert_eq!(shelf.digests().len(), 1);
        assert_eq!(shelf.all_latest().len(), 1);
    }

    #[test]
    fn number_of_an_agents_snapshots_is_bounded() {
        let mut shelf = Shelf::default();
        for n in 0..=MOST_OF_AGENT {
            shelf.add(stored(1, &n.to_string()), 0);
        }
        assert_eq!(shelf.all().count(), MOST_OF_AGENT);
        assert_eq!(digests(&shelf)[0], "1");
    }
}
