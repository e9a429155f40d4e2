//! Repositories of runs in JSON.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{CommitLine, FileLine};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::commands::{Diff, Pushed, Read};
use super::entity::{commits, supply};
use super::model::{Shown, heads, is_base, is_commit};
use crate::supplies::{Added, LeftOut, Package, Replaced};
use roost_machines::sandboxes::OwnerKind;
use roost_platform::ids::{RepoId, RunId, SandboxOwnerId, UploadId};
use roost_web::json::{Check, Mistakes};

/// What a new run works on: a repository, or uploaded files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRepo {
    #[serde(default)]
    pub repo_id: Option<RepoId>,
    /// Uploaded files, in place of a repository.
    #[serde(default)]
    pub upload_id: Option<UploadId>,
    /// A branch of the repository, or a whole commit id. The default is its default branch.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base: Option<String>,
}

impl RunRepo {
    /// Checks the repository of a request.
    pub fn check(asked: Option<&Self>, mistakes: &mut Mistakes) {
        let Some(asked) = asked else {
            return;
        };
        if asked.repo_id.is_some() == asked.upload_id.is_some() {
            mistakes.add("/repo", "must name either a repository or an upload");
        }
        if asked.upload_id.is_some() && asked.base.is_some() {
            mistakes.add(
                "/repo/base",
                "is only for a repository: uploaded files have one commit",
            );
        }
        if let Some(base) = asked.base.as_deref()
            && !is_base(base)
        {
            mistakes.add(
                "/repo/base",
                "must be the name of a branch, or a whole commit id",
            );
        }
    }
}

/// The repository of a run, with the commits that came out of its sandboxes.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunRepository {
    pub run_id: RunId,
    /// Absent for uploaded files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<RepoId>,
    /// The uploaded files. Absent for a repository. Uploaded files have no code host, so nothing can be pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<UploadId>,
    pub full_name: String,
    /// Its page on the code host. Absent for uploaded files, and when the repository was removed from the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html_url: Option<String>,
    /// Absent for the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The commit that the branches begin at. Absent before the first checkout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_commit: Option<String>,
    /// The branches with commits, newest first. Each sandbox of the run has its own.
    pub branches: Vec<RunBranch>,
    /// What the lock files of the commit brought into the sandboxes, by path.
    pub supplies: Vec<RunSupplies>,
    /// What came out of the sandboxes after each step, newest first.
    pub steps: Vec<RunStepCommits>,
    pub version: i64,
}

/// A branch of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunBranch {
    pub branch: String,
    /// What the sandbox belongs to that the branch comes from.
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    pub commit: String,
    /// Commits after the base.
    pub commits: u64,
    /// The newest of them, newest first. Their texts come from agents.
    pub newest: Vec<RunCommit>,
    /// Files that differ from the base.
    pub files: u64,
    /// The first of them, by path.
    pub changed: Vec<RunFile>,
    pub received_at: DateTime<Utc>,
    /// When this commit was pushed to the code host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushed_at: Option<DateTime<Utc>>,
    /// The address of the branch's pull request. It comes from the code host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_url: Option<String>,
}

/// A branch that an agent asks to send to the code host, as it was when it asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedBranch {
    /// The run that the repository belongs to: the first one of its tree.
    pub run_id: RunId,
    /// The repository's full name.
    pub repository: String,
    pub branch: String,
    /// Exactly this commit is sent.
    pub commit: String,
    /// Commits after the base.
    pub commits: u64,
    /// Files that differ from the base.
    pub files: u64,
    /// The branch that a pull request goes into. Absent for a push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
}

/// Packages that an agent added to a lock file of its checkout, as they were when it asked. The gateway read the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedPackages {
    /// The run that the repository belongs to: the first one of its tree.
    pub run_id: RunId,
    /// What the sandbox with the lock file belongs to.
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    /// The lock file in the repository.
    pub path: String,
    /// `cargo`, `npm`, `python` or `go`
    pub kind: String,
    /// The SHA-256 of the lock file. Nothing is fetched for another one.
    pub sha256: String,
    pub bytes: u64,
    /// All packages that are new.
    pub added: Vec<Package>,
    /// All packages that have another version, or another hash.
    pub changed: Vec<Replaced>,
    pub removed_count: u64,
    /// The first of them. The sandbox keeps their files.
    pub removed: Vec<Package>,
    pub left_out_count: u64,
    /// The first new entries that cannot be supplied.
    pub left_out: Vec<RunLeftOut>,
}

/// The packages of a lock file. Sandboxes have no network, so the gateway brings them.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunSupplies {
    /// The lock file in the repository.
    pub path: String,
    /// `cargo`, `npm`, `python` or `go`
    pub kind: String,
    /// `fetching`, `done` or `failed`
    pub state: String,
    /// Packages that can be supplied.
    pub wanted: u64,
    /// Loaded from the registry.
    pub fetched: u64,
    /// Found in the workspace's store.
    pub stored: u64,
    pub bytes: u64,
    /// How many entries are left out.
    pub left_out_count: u64,
    /// The first of them. Their names come from the lock file.
    pub left_out: Vec<RunLeftOut>,
    /// Why nothing, or not all, came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Of those that are wanted: approved by people during the run.
    pub approved: u64,
    pub at: DateTime<Utc>,
}

/// An entry of a lock file that is not supplied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLeftOut {
    pub name: String,
    pub why: String,
}

/// A commit of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunCommit {
    pub commit: String,
    pub author: String,
    /// As the commit says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<Utc>>,
    pub subject: String,
}

/// A file that a run changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunFile {
    pub path: String,
    /// Lines; absent for a binary file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

/// What came out of a sandbox after a step.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunStepCommits {
    /// The run that has the step.
    pub run_id: RunId,
    /// `<step>#<lap>`
    pub step: String,
    pub branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Changed files of the checkout that are in no commit. They stay in the sandbox.
    pub uncommitted: u64,
    /// Why the commits of the step were not received. They are still in the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    pub at: DateTime<Utc>,
}

/// The difference between the base of a run and its newest commit.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunDiff {
    pub branch: String,
    pub base: String,
    pub commit: String,
    /// As git writes it. It comes from agents.
    pub text: String,
    /// The end is left out.
    pub cut: bool,
}

/// The branch of a diff.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DiffQuery {
    /// The default is the branch with the newest commits.
    #[param(max_length = 200)]
    pub branch: Option<String>,
    /// The answer is a conflict when the branch has another newest commit.
    #[param(max_length = 64)]
    pub commit: Option<String>,
}

/// The branch whose files are downloaded.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ArchiveQuery {
    /// The default is the branch with the newest commits. A run without commits gives the files that it began with.
    #[param(max_length = 200)]
    pub branch: Option<String>,
}

/// A branch to push.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushRun {
    /// The default is the branch with the newest commits.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub branch: Option<String>,
    /// The commit that the person saw. When the branch has another one meanwhile, nothing is pushed.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub commit: Option<String>,
}

impl Check for PushRun {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(branch) = &self.branch {
            mistakes.text("/branch", branch, 1, 200);
        }
        if self
            .commit
            .as_deref()
            .is_some_and(|commit| !is_commit(commit))
        {
            mistakes.add("/commit", "must be a whole commit id");
        }
    }
}

/// A branch that the code host has now.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunPushed {
    pub branch: String,
    pub commit: String,
    /// The code host had this commit already.
    pub unchanged: bool,
    pub pushed_at: DateTime<Utc>,
}

impl From<Read> for RunRepository {
    fn from(read: Read) -> Self {
        let branches = heads(&read.rows).into_iter().map(RunBranch::from).collect();
        Self {
            run_id: read.bound.run_id,
            repo_id: read.bound.upload_id.is_none().then_some(read.bound.repo_id),
            upload_id: read.bound.upload_id,
            full_name: read.bound.full_name,
            html_url: read.upstream.map(|upstream| upstream.html_url),
            base: read.bound.base_ref,
            base_commit: read.bound.base_commit,
            branches,
            supplies: read.supplies.into_iter().map(RunSupplies::from).collect(),
            steps: read.rows.into_iter().map(RunStepCommits::from).collect(),
            version: read.bound.version,
        }
    }
}

impl From<&commits::Model> for RunBranch {
    fn from(row: &commits::Model) -> Self {
        let shown: Shown = serde_json::from_str(&row.shown).unwrap_or_default();
        Self {
            branch: row.branch.clone(),
            owner_kind: row.owner_kind,
            owner_id: row.owner_id,
            commit: row.head.clone().unwrap_or_default(),
            commits: whole(row.commits),
            newest: shown.newest.into_iter().map(RunCommit::from).collect(),
            files: whole(row.files),
            changed: shown.changed.into_iter().map(RunFile::from).collect(),
            received_at: row.at,
            pushed_at: row.pushed_at,
            pull_url: row.pull_url.clone(),
        }
    }
}

impl From<supply::Model> for RunSupplies {
    fn from(row: supply::Model) -> Self {
        let left_out: Vec<LeftOut> = serde_json::from_str(&row.left_out).unwrap_or_default();
        let left_out = left_out.into_iter().map(RunLeftOut::from);
        let approved = Added::from_stored(row.added.as_deref()).wishes.len();
        Self {
            path: row.path,
            kind: row.kind,
            state: row.state,
            wanted: whole(row.wanted),
            fetched: whole(row.fetched),
            stored: whole(row.stored),
            bytes: whole(row.bytes),
            left_out_count: whole(row.left_out_count),
            left_out: left_out.collect(),
            why: row.why,
            approved: approved as u64,
            at: row.at,
        }
    }
}

impl From<LeftOut> for RunLeftOut {
    fn from(left: LeftOut) -> Self {
        Self {
            name: left.name,
            why: left.why,
        }
    }
}

impl From<CommitLine> for RunCommit {
    fn from(line: CommitLine) -> Self {
        Self {
            commit: line.commit,
            author: line.author,
            at: DateTime::from_timestamp(line.at_s, 0),
            subject: line.subject,
        }
    }
}

impl From<FileLine> for RunFile {
    fn from(line: FileLine) -> Self {
        Self {
            path: line.path,
            added: line.added,
            removed: line.removed,
        }
    }
}

impl From<commits::Model> for RunStepCommits {
    fn from(row: commits::Model) -> Self {
        Self {
            run_id: row.step_run_id,
            step: row.step,
            branch: row.branch,
            commit: row.head,
            uncommitted: whole(row.uncommitted),
            refused: row.refused,
            at: row.at,
        }
    }
}

impl From<Diff> for RunDiff {
    fn from(diff: Diff) -> Self {
        Self {
            branch: diff.branch,
            base: diff.base,
            commit: diff.commit,
            text: diff.text,
            cut: diff.cut,
        }
    }
}

impl From<Pushed> for RunPushed {
    fn from(pushed: Pushed) -> Self {
        Self {
            branch: pushed.branch,
            commit: pushed.commit,
            unchanged: pushed.unchanged,
            pushed_at: pushed.at,
        }
    }
}

fn whole(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
