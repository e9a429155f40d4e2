//! Pure rules: which files the sandboxes of a fork begin with.

use std::collections::BTreeMap;

use super::dto::FilesAt;
use super::entity::{around, start};
use crate::sandboxes::SandboxOwner;
use roost_platform::ids::{SandboxOwnerId, SnapshotId};
use uuid::Uuid;

/// The owner of a row that holds for each owner of the tree.
pub(super) const EACH: SandboxOwnerId = SandboxOwnerId(Uuid::nil());

/// What a start without files names in place of a snapshot.
pub(super) const NO_SNAPSHOT: SnapshotId = SnapshotId(Uuid::nil());

/// What a fork does with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It keeps the output.
    Kept,
    /// It begins here.
    Cut,
    /// It repeats the step, or comes to another one.
    Later,
}

/// The files that the sandbox of an owner begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    pub owner: SandboxOwner,
    pub files: FilesAt,
    /// The step that had them.
    pub step: String,
}

/// The files that all sandboxes of a run begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommonStart {
    /// Those of a step of another run.
    OfStep(Start),
    /// None.
    Empty,
}

/// The files that each sandbox had when the step of the cut began. A step that the fork keeps and that ended later, beside
/// it, counts too: its words are kept, so its files are. A sandbox that only later steps used begins with what it had
/// before the first of them.
pub fn starts(rows: &[(around::Model, Part)]) -> Vec<Start> {
    let mut owners: BTreeMap<SandboxOwner, Vec<&(around::Model, Part)>> = BTreeMap::new();
    for row in rows {
        owners.entry(row.0.owner()).or_default().push(row);
    }
    owners
        .into_iter()
        .filter_map(|(owner, rows)| {
            let of = |part| move |row: &&&(around::Model, Part)| row.1 == part;
            let first = |part| {
                let rows = rows.iter().filter(of(part));
                let first = rows.min_by_key(|(row, _)| row.began_at);
                first.map(|(row, _)| (row.began(), &row.step))
            };
            let kept = rows.iter().filter(of(Part::Kept));
            let kept = kept.map(|(row, _)| (row.ended_or_not(), &row.step));
            let known = kept.chain(first(Part::Cut));
            let (files, step) = known
                .max_by_key(|(files, _)| files.at)
                .or_else(|| first(Part::Later))?;
            let step = step.clone();
            Some(Start { owner, files, step })
        })
        .collect()
}

impl around::Model {
    /// The owner of the sandbox.
    pub fn owner(&self) -> SandboxOwner {
        SandboxOwner::of(self.owner_kind, self.owner_id)
    }

    /// The files when the step began.
    pub fn began(&self) -> FilesAt {
        FilesAt {
            at: self.began_at,
            snapshot_id: self.began_snapshot,
            digest: self.began_digest.clone(),
            missing: self.began_missing.clone(),
        }
    }

    /// The files when the step ended, if that was recorded.
    pub fn ended(&self) -> Option<FilesAt> {
        Some(FilesAt {
            at: self.ended_at?,
            snapshot_id: self.ended_snapshot,
            digest: self.ended_digest.clone(),
            missing: self.ended_missing.clone(),
        })
    }

    fn ended_or_not(&self) -> FilesAt {
        self.ended().unwrap_or_else(|| FilesAt {
            at: self.began_at,
            snapshot_id: None,
            digest: None,
            missing: Some("They were not recorded when the step ended.".to_owned()),
        })
    }
}

impl start::Model {
    /// Whether the owner's sandbox still has to get these files. `all` are the starts of the tree.
    pub fn is_due_for(&self, owner: SandboxOwner, all: &[Self]) -> bool {
        let has_own = || all.iter().any(|row| row.owner_id == owner.id());
        let is_of = self.owner_id == owner.id() || (self.is_for_each() && !has_own());
        is_of && self.restored_at.is_none()
    }

    /// Whether the sandbox begins without files.
    pub(super) fn is_empty(&self) -> bool {
        self.snapshot_id == NO_SNAPSHOT
    }

    /// Whether it holds for each owner of the tree.
    pub(super) fn is_for_each(&self) -> bool {
        self.owner_id == EACH
    }
}

#[cfg(test)]
mod tests {
    use crate::sandboxes::OwnerKind;
    use chrono::{DateTime, TimeDelta, Utc};
    use roost_platform::ids::{RunId, SandboxId, SnapshotId, WorkspaceId};

    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap() + TimeDelta::minutes(minute)
    }

    /// A step that began and ended at these minutes, with the files of those minutes.
    fn row(owner: u128, step: &str, began: i64, ended: Option<i64>) -> around::Model {
        let id = Uuid::from_u128;
        let snapshot = |minute: i64| SnapshotId(id(u128::from(minute.unsigned_abs())));
        around::Model {
            run_id: RunId(id(1)),
            step: step.to_owned(),
            workspace_id: WorkspaceId(id(1)),
            root_run_id: RunId(id(1)),
            owner_kind: OwnerKind::Claw,
            owner_id: SandboxOwnerId(id(owner)),
            sandbox_id: SandboxId(id(owner)),
            node_id: "local".to_owned(),
            began_snapshot: Some(snapshot(began)),
            began_digest: Some(began.to_string()),
            began_missing: None,
            began_at: at(began),
            ended_snapshot: ended.map(snapshot),
            ended_digest: ended.map(|minute| minute.to_string()),
            ended_missing: None,
            ended_at: ended.map(at),
        }
    }

    fn digests(rows: &[(around::Model, Part)]) -> Vec<Option<String>> {
        let starts = starts(rows).into_iter();
        starts.map(|start| start.files.digest).collect()
    }

    #[test]
    fn fork_begins_with_the_files_that_its_step_began_with() {
        let rows = [
            (row(1, "a", 1, Some(2)), Part::Kept),
            (row(1, "b", 3, Some(4)), Part::Cut),
            (row(1, "c", 5, Some(6)), Part::Later),
        ];
        assert_eq!(digests(&rows), [Some("3".to_owned())]);
        assert_eq!(starts(&rows)[0].step, "b");
    }

    #[test]
    fn each_sandbox_has_its_own_start() {
        let rows = [
            (row(1, "a", 1, Some(2)), Part::Kept),
            (row(2, "b", 3, Some(4)), Part::Cut),
            (row(1, "c", 5, Some(6)), Part::Later),
            (row(3, "d", 7, Some(8)), Part::Later),
            (row(3, "e", 9, None), Part::Later),
        ];
        let expected = ["2", "3", "7"].map(|digest| Some(digest.to_owned()));
        assert_eq!(digests(&rows), expected);
    }

    #[test]
    fn kept_step_that_ended_beside_the_cut_counts() {
        let rows = [
            (row(1, "a#1/0", 1, Some(9)), Part::Kept),
            (row(1, "b", 3, Some(4)), Part::Cut),
        ];
        assert_eq!(digests(&rows), [Some("9".to_owned())]);
    }

    #[test]
    fn kept_step_without_a_recorded_end_has_a_reason_and_no_digest() {
        let rows = [(row(1, "a", 1, None), Part::Kept)];
        let start = &starts(&rows)[0];
        assert_eq!(start.files.digest, None);
        assert!(start.files.missing.is_some());
    }
}
