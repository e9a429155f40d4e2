//! What the writes of a batch are together. Pure code.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::RunWrite;
use crate::runs::fence::{Passed, Used};
use crate::runs::model::Status;
use crate::tools::Pane;
use crate::topology::StepRef;
use roost_platform::ids::RunId;

/// The sums of the writes of one owner of a run. An `UPDATE … FROM` changes a row once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub run: RunId,
    pub epoch: i64,
    /// The number of writes, and of new versions of the run.
    pub writes: i64,
    pub used: Used,
    pub done: i32,
    pub pane: Option<Pane>,
    /// The status with which the run ends.
    pub ends: Option<Status>,
}

impl Group {
    /// Whether it passes only a run that was cancelled. Each other group passes only a run that was not.
    pub fn of_cancelled(&self) -> bool {
        self.ends == Some(Status::Cancelled)
    }
}

/// What passes or is refused together: a run, the epoch of its owner, and whether the write is the end of a cancelled
/// run.
pub(super) type Owner = (RunId, i64, bool);

pub(super) fn owner(write: &RunWrite) -> Owner {
    let ends_cancelled = write.ends_with() == Some(Status::Cancelled);
    (write.fence.run, write.fence.epoch, ends_cancelled)
}

/// For each write, whether it comes before the end of its run. A write after it is refused, as it would be in a batch of
/// its own.
pub(super) fn in_time(writes: &[&RunWrite]) -> Vec<bool> {
    let mut over: HashSet<(RunId, i64)> = HashSet::new();
    let in_time = |write: &&RunWrite| {
        let run = (write.fence.run, write.fence.epoch);
        let in_time = !over.contains(&run);
        if write.finish.is_some() {
            over.insert(run);
        }
        in_time
    };
    writes.iter().map(in_time).collect()
}

/// The writes of each owner, summed. In the order of the runs' ids, in which their rows are locked.
pub(super) fn groups(writes: &[&RunWrite]) -> Vec<Group> {
    let mut groups: BTreeMap<Owner, Group> = BTreeMap::new();
    for (write, in_time) in writes.iter().zip(in_time(writes)) {
        if !in_time {
            continue;
        }
        let (run, epoch, _) = owner(write);
        let group = groups.entry(owner(write)).or_insert(Group {
            run,
            epoch,
            writes: 0,
            used: Used::default(),
            done: 0,
            pane: None,
            ends: None,
        });
        group.ends = group.ends.or(write.ends_with());
        group.writes += 1;
        group.used += write.used;
        group.done = group.done.saturating_add(write.done());
        if write.pane.is_some() {
            group.pane.clone_from(&write.pane);
        }
    }
    groups.into_values().collect()
}

/// The result of each write: the run's version after it. `None` for a write that the fence refused.
pub(super) fn answers(
    writes: &[&RunWrite],
    passed: &HashMap<Owner, Passed>,
) -> Vec<Option<Passed>> {
    // The row has the version after the last write of its group, so count backwards.
    let mut after: HashMap<Owner, i64> = HashMap::new();
    let mut answers: Vec<Option<Passed>> = writes
        .iter()
        .zip(in_time(writes))
        .rev()
        .map(|(write, in_time)| {
            let owner = owner(write);
            let last = passed.get(&owner).filter(|_| in_time)?;
            let after = after.entry(owner).or_insert(0);
            let version = last.version - *after;
            *after += 1;
            Some(Passed { version, ..*last })
        })
        .collect();
    answers.reverse();
    answers
}

/// What each step used.
pub(super) fn spent(writes: &[(&RunWrite, Passed)]) -> BTreeMap<(RunId, StepRef), Used> {
    let mut spent: BTreeMap<(RunId, StepRef), Used> = BTreeMap::new();
    for (write, _) in writes {
        if let Some(at) = &write.step
            && write.used != Used::default()
        {
            *spent.entry((write.fence.run, at.clone())).or_default() += write.used;
        }
    }
    spent
}

/// The place in the batch of the write that begins, resumes or ends each step.
pub(super) fn places(writes: &[(&RunWrite, Passed)]) -> HashMap<(RunId, StepRef), usize> {
    let mut places = HashMap::new();
    for (place, (write, _)) in writes.iter().enumerate() {
        let ends = write.ends.iter().map(|(at, _)| at);
        let begins = write.begins.iter().map(|begin| &begin.at);
        for at in ends.chain(begins).chain(&write.resumes) {
            places.insert((write.fence.run, at.clone()), place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::runs::fence::{Ended, Fence};
    use crate::runs::inbox::Inbox;
    use crate::runs::model::StepStatus;
    use crate::runs::origin::OriginWord;
    use roost_platform::events::About;
    use roost_platform::ids::WorkspaceId;

    fn write(run: u8, epoch: i64, done: bool, tokens: i64) -> RunWrite {
        let run = RunId(Uuid::from_u128(run.into()));
        let mut write = RunWrite::of(Fence {
            run,
            workspace: WorkspaceId(Uuid::nil()),
            epoch,
            about: About::default(),
            origin: OriginWord::Team,
        });
        write.used.tokens_in = tokens;
        if done {
            let ended = Ended {
                status: StepStatus::Done,
                output: None,
                error: None,
                outcome: None,
                checks: Vec::new(),
            };
            let at = StepRef {
                key: "step".to_owned(),
                lap: 1,
                shard: 0,
            };
            write.ends.push((at, ended));
        }
        write
    }

    fn some_writes() -> impl Strategy<Value = Vec<RunWrite>> {
        let one = (0u8..5, 1i64..3, any::<bool>(), 0i64..100)
            .prop_map(|(run, epoch, done, tokens)| write(run, epoch, done, tokens));
        prop::collection::vec(one, 0..60)
    }

    proptest! {
        #[test]
        fn sums_of_the_groups_are_the_sums_of_the_writes(writes in some_writes()) {
            let all: Vec<&RunWrite> = writes.iter().collect();
            let groups = groups(&all);
            prop_assert!(groups.is_sorted_by_key(|group| (group.run, group.epoch)));
            let sum = |of: fn(&Group) -> i64| groups.iter().map(of).sum::<i64>();
            prop_assert_eq!(sum(|group| group.writes), i64::try_from(writes.len()).unwrap());
            let tokens: i64 = writes.iter().map(|write| write.used.tokens_in).sum();
            prop_assert_eq!(sum(|group| group.used.tokens_in), tokens);
            let done: i64 = writes.iter().map(|write| i64::from(write.done())).sum();
            prop_assert_eq!(sum(|group| group.done.into()), done);
        }

        #[test]
        fn each_write_of_a_run_gets_the_next_version_and_a_refused_owner_none(writes in some_writes(), epoch in 1i64..3) {
            let all: Vec<&RunWrite> = writes.iter().collect();
            // Only this epoch owns the runs. Each was at version 10.
            let passed: HashMap<_, _> = groups(&all)
                .iter()
                .filter(|group| group.epoch == epoch)
                .map(|group| ((group.run, epoch, false), Passed { version: 10 + group.writes, updated_ms: 1, inbox: Inbox::default() }))
                .collect();
            let mut next: HashMap<RunId, i64> = HashMap::new();
            for (write, answer) in all.iter().zip(answers(&all, &passed)) {
                prop_assert_eq!(answer.is_some(), write.fence.epoch == epoch);
                if let Some(answer) = answer {
                    let version = next.entry(write.fence.run).or_insert(10);
                    *version += 1;
                    prop_assert_eq!(answer.version, *version);
                }
            }
        }
    }
}
