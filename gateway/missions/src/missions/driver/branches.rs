//! The branches with commits that earlier phases left. Each sandbox of a run has a branch of its own, and a phase begins with
//! one of them.

use sea_orm::{ConnectionTrait, DbErr};

use super::super::entity::phase;
use super::Driver;
use crate::missions::facts::Loaded;
use crate::missions::input;
use roost_connections::checkouts::{self, Received};
use roost_platform::ids::RunId;
use roost_tenancy::change::Change;

/// A branch with commits of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) run: RunId,
    /// The team that committed.
    worker: String,
    /// The commit of another branch with which the run began.
    start: Option<String>,
    pub(super) received: Received,
}

impl Driver {
    /// The run of an earlier phase with whose commits the phase begins.
    pub(super) async fn with_commits(
        &self,
        change: &Change,
        loaded: &Loaded,
        phase: &phase::Model,
    ) -> Result<Option<RunId>, DbErr> {
        let before = self.branches_before(change.tx(), loaded, phase).await?;
        Ok(before.first().map(|branch| branch.run))
    }

    /// The branches of the phases before: those of the latest phase first, in it the newest first. A phase begins with the
    /// first one.
    pub(super) async fn branches_before(
        &self,
        db: &impl ConnectionTrait,
        loaded: &Loaded,
        phase: &phase::Model,
    ) -> Result<Vec<Branch>, DbErr> {
        let phases = loaded.phases.iter();
        let before = phases.filter(|other| other.position < phase.position);
        let mut all = Vec::new();
        for other in before.rev() {
            let mut found = Vec::new();
            for run in loaded.runs_of(other) {
                let standing = checkouts::standing(db, self.scope, run.run_id).await?;
                let start = standing.and_then(|standing| standing.start);
                let branches = checkouts::branches(db, self.scope, run.run_id).await?;
                for received in branches {
                    if received.commits > 0 && Some(&received.head) != start.as_ref() {
                        found.push(Branch {
                            run: run.run_id,
                            worker: loaded.worker_of(run),
                            start: start.clone(),
                            received,
                        });
                    }
                }
            }
            found.sort_by_key(|branch| std::cmp::Reverse(branch.received.at));
            all.extend(found);
        }
        Ok(all)
    }
}

/// The first branch and those that are not in it, as the input names them.
pub(super) fn in_input(branches: &[Branch]) -> Vec<input::Branch> {
    let mut contained = Vec::new();
    let mut next = branches.first();
    while let Some(branch) = next.filter(|branch| !contained.contains(&&branch.received.head)) {
        contained.push(&branch.received.head);
        next = branches
            .iter()
            .find(|other| Some(&other.received.head) == branch.start.as_ref());
    }
    let others = branches.iter().skip(1);
    let others = others.filter(|branch| !contained.contains(&&branch.received.head));
    branches
        .first()
        .into_iter()
        .chain(others)
        .map(|branch| input::Branch {
            name: branch.received.branch.clone(),
            worker: branch.worker.clone(),
            commits: branch.received.commits,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;

    fn branch(name: &str, start: Option<&str>, head: &str) -> Branch {
        Branch {
            run: RunId(Uuid::nil()),
            worker: format!("team of {name}"),
            start: start.map(str::to_owned),
            received: Received {
                branch: name.to_owned(),
                head: head.to_owned(),
                commits: 1,
                at: DateTime::UNIX_EPOCH,
            },
        }
    }

    fn names(branches: &[Branch]) -> Vec<String> {
        let named = in_input(branches).into_iter();
        named.map(|branch| branch.name).collect()
    }

    #[test]
    fn branches_that_the_first_one_continues_are_not_left_out() {
        assert!(names(&[]).is_empty());
        let all = [
            branch("third", Some("b"), "c"),
            branch("beside the third", Some("b"), "d"),
            branch("second", Some("a"), "b"),
            branch("first", None, "a"),
            branch("beside the first", None, "e"),
        ];
        assert_eq!(
            names(&all),
            ["third", "beside the third", "beside the first"]
        );
    }
}
