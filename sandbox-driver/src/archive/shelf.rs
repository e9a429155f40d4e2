//! Which archives exist, which agents own them, and which are removed to make room. Pure: it names files, the store
//! removes them.
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use roost_protocol::control::Kept;
use roost_protocol::ids::AgentId;

/// A younger archive is never removed to make room: the gateway may not have named it yet.
const SETTLED: Duration = Duration::from_secs(600);
/// An agent must be unknown to the gateway for this long without a break before its archives are removed. A gateway
/// that was started on the wrong database must not cost anybody their work.
const ABSENT: Duration = Duration::from_secs(24 * 60 * 60);

/// One archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Archive {
    pub(super) bytes: u64,
    /// When it was last stored, as time since 1970.
    pub(super) stored: Duration,
    /// The agents that own it; empty for an archive of an older version.
    pub(super) agents: BTreeSet<AgentId>,
    /// Since when the gateway knows none of its agents, on the monotonic clock.
    absent: Option<Duration>,
}

impl Archive {
    /// An archive that was found on disk.
    pub(super) fn found(bytes: u64, stored: Duration, agents: BTreeSet<AgentId>) -> Self {
        Self {
            bytes,
            stored,
            agents,
            absent: None,
        }
    }
}

/// All archives of a store.
#[derive(Debug)]
pub(super) struct Shelf {
    most: u64,
    archives: BTreeMap<String, Archive>,
    /// Bytes of archives that are being written.
    writing: u64,
    /// Archives that the gateway wants for new sandboxes. While this is `None`, nothing is removed to make room.
    named: Option<HashSet<String>>,
}

/// There is no room, and nothing can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full {
    pub(super) taken: u64,
    pub(super) most: u64,
}

impl Shelf {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            archives: BTreeMap::new(),
            writing: 0,
            named: None,
        }
    }

    pub(super) fn add(&mut self, digest: String, archive: Archive) {
        self.archives.insert(digest, archive);
    }

    pub(super) fn taken(&self) -> u64 {
        let whole: u64 = self.archives.values().map(|archive| archive.bytes).sum();
        whole.saturating_add(self.writing)
    }

    /// Reserves bytes for an archive that is being written. Returns the archives to remove for it, oldest first, even
    /// when they are not enough.
    pub(super) fn take(
        &mut self,
        bytes: u64,
        now: Duration,
    ) -> Result<Vec<String>, (Vec<String>, Full)> {
        let mut gone = Vec::new();
        while self.taken().saturating_add(bytes) > self.most {
            let Some(oldest) = self.oldest_unneeded(now) else {
                let full = Full {
                    taken: self.taken(),
                    most: self.most,
                };
                return Err((gone, full));
            };
            self.archives.remove(&oldest);
            gone.push(oldest);
        }
        self.writing += bytes;
        Ok(gone)
    }

    fn oldest_unneeded(&self, now: Duration) -> Option<String> {
        let named = self.named.as_ref()?;
        let unneeded = self.archives.iter().filter(|(digest, archive)| {
            !named.contains(*digest) && now.saturating_sub(archive.stored) >= SETTLED
        });
        let oldest = unneeded.min_by_key(|(_, archive)| archive.stored);
        oldest.map(|(digest, _)| digest.clone())
    }

    /// Releases the bytes of an archive that was being written.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.writing = self.writing.saturating_sub(bytes);
    }

    /// Adds a complete archive. The same content for another agent is the same archive. Returns its agents.
    pub(super) fn stored(
        &mut self,
        digest: &str,
        bytes: u64,
        agent: AgentId,
        now: Duration,
    ) -> BTreeSet<AgentId> {
        self.give_back(bytes);
        let archive = self.archives.entry(digest.to_owned()).or_default();
        archive.bytes = bytes;
        archive.stored = now;
        archive.absent = None;
        archive.agents.insert(agent);
        archive.agents.clone()
    }

    /// What a purged agent has: the archives to remove, and the shared ones with their remaining agents.
    pub(super) fn of_purged(
        &self,
        agent: AgentId,
        known: &[String],
    ) -> (Vec<String>, Vec<(String, BTreeSet<AgentId>)>) {
        let (mut gone, mut left) = (Vec::new(), Vec::new());
        for (digest, archive) in &self.archives {
            let mut agents = archive.agents.clone();
            let had = agents.remove(&agent);
            let old = agents.is_empty() && known.contains(digest);
            if agents.is_empty() && (had || old) {
                gone.push(digest.clone());
            } else if had {
                left.push((digest.clone(), agents));
            }
        }
        (gone, left)
    }

    /// The files of an archive were removed.
    pub(super) fn remove(&mut self, digest: &str) {
        self.archives.remove(digest);
    }

    /// An agent owns an archive no more.
    pub(super) fn leave(&mut self, digest: &str, agent: AgentId) {
        if let Some(archive) = self.archives.get_mut(digest) {
            archive.agents.remove(&agent);
        }
    }

    /// Applies the gateway's list of archives to keep. Returns the archives to remove: those of agents that it has not
    /// known for a long time.
    pub(super) fn keep(&mut self, kept: &Kept, monotonic: Duration) -> Vec<String> {
        let known: HashSet<&AgentId> = kept.agents.iter().collect();
        let named: HashSet<String> = kept.archives.iter().cloned().collect();
        let mut gone = Vec::new();
        for (digest, archive) in &mut self.archives {
            let wanted = archive.agents.is_empty()
                || archive.agents.iter().any(|agent| known.contains(agent))
                || named.contains(digest);
            if wanted {
                archive.absent = None;
            } else if monotonic.saturating_sub(*archive.absent.get_or_insert(monotonic)) >= ABSENT {
                gone.push(digest.clone());
            }
        }
        for digest in &gone {
            self.archives.remove(digest);
        }
        self.named = Some(named);
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Full = Full {
        taken: 30,
        most: 30,
    };
    const HOUR: Duration = Duration::from_secs(3600);

    fn agent(n: u128) -> AgentId {
        AgentId(uuid::Uuid::from_u128(n))
    }

    /// Archives of ten bytes each, stored an hour apart; `c` is the youngest.
    fn shelf(most: u64) -> Shelf {
        let mut shelf = Shelf::new(most);
        for (n, digest) in ["a", "b", "c"].into_iter().enumerate() {
            let n = n as u32 + 1;
            shelf.take(10, n * HOUR).unwrap();
            shelf.stored(digest, 10, agent(u128::from(n)), n * HOUR);
        }
        shelf
    }

    fn kept(agents: &[u128], archives: &[&str]) -> Kept {
        Kept {
            agents: agents.iter().map(|n| agent(*n)).collect(),
            archives: archives.iter().map(|&digest| digest.to_owned()).collect(),
        }
    }

    #[test]
    fn oldest_unneeded_archive_is_removed_first() {
        let mut shelf = shelf(30);
        let now = 10 * HOUR;
        // The gateway has not sent its list yet.
        assert_eq!(shelf.take(1, now), Err((Vec::new(), FULL)));
        shelf.keep(&kept(&[1, 2, 3], &["a"]), now);
        assert_eq!(shelf.take(5, now), Ok(vec!["b".to_owned()]));
        assert_eq!(shelf.take(5, now), Ok(Vec::new()));
        assert_eq!(shelf.take(10, now), Ok(vec!["c".to_owned()]));
        assert_eq!(shelf.take(1, now), Err((Vec::new(), FULL)));
        shelf.give_back(20);
        assert_eq!(shelf.take(20, now), Ok(Vec::new()));
        // Removed archives are named even when they are not enough.
        let mut shelf = self::shelf(30);
        shelf.keep(&kept(&[1, 2, 3], &["a", "b"]), now);
        let (gone, _) = shelf.take(11, now).expect_err("only one may go");
        assert_eq!(gone, ["c"]);
    }

    #[test]
    fn new_archive_is_kept_until_the_gateway_can_name_it() {
        let mut shelf = shelf(30);
        shelf.keep(&kept(&[1, 2, 3], &["a", "b"]), HOUR);
        let soon = 3 * HOUR + SETTLED / 2;
        assert!(shelf.take(1, soon).is_err());
        assert_eq!(shelf.take(1, 3 * HOUR + SETTLED), Ok(vec!["c".to_owned()]));
    }

    #[test]
    fn purged_agents_archives_are_removed_unless_shared() {
        let mut shelf = shelf(100);
        let both = shelf.stored("b", 10, agent(1), 4 * HOUR);
        assert_eq!(both, BTreeSet::from([agent(1), agent(2)]));
        shelf.add(
            "old".to_owned(),
            Archive {
                bytes: 10,
                ..Archive::default()
            },
        );
        let (gone, left) = shelf.of_purged(agent(1), &["old".to_owned(), "c".to_owned()]);
        assert_eq!(gone, ["a", "old"]);
        assert_eq!(left, [("b".to_owned(), BTreeSet::from([agent(2)]))]);
        // Nothing is forgotten before the files are gone.
        let again = shelf.of_purged(agent(1), &[]);
        assert_eq!((again.0.len(), again.1.len()), (1, 1));
        gone.iter().for_each(|digest| shelf.remove(digest));
        shelf.leave("b", agent(1));
        assert_eq!(shelf.of_purged(agent(1), &[]), (Vec::new(), Vec::new()));
        assert_eq!(shelf.taken(), 20);
    }

    #[test]
    fn archives_of_unknown_agents_are_removed_after_an_unbroken_day() {
        let mut shelf = shelf(100);
        let gone = |shelf: &mut Shelf, known: &[u128], hours: u32| {
            shelf.keep(&kept(known, &[]), hours * HOUR)
        };
        assert!(gone(&mut shelf, &[2, 3], 1).is_empty());
        assert!(gone(&mut shelf, &[2, 3], 24).is_empty());
        // The agent is known again for a moment, so the day starts again.
        assert!(gone(&mut shelf, &[1, 2, 3], 24).is_empty());
        assert!(gone(&mut shelf, &[2, 3], 26).is_empty());
        assert!(gone(&mut shelf, &[2, 3], 49).is_empty());
        assert_eq!(gone(&mut shelf, &[2, 3], 50), ["a"]);
        // An archive that a sandbox will be restored from is kept for any owner.
        assert!(shelf.keep(&kept(&[], &["b", "c"]), 51 * HOUR).is_empty());
        assert!(shelf.keep(&kept(&[], &["b", "c"]), 99 * HOUR).is_empty());
    }
}
