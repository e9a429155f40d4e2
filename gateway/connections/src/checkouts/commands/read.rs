//! What people see of a run's repository: its branches, and what differs.

use roost_secret_broker::wire::GitDiff;

use crate::checkouts::entity::{bound, commits, supply};
use crate::checkouts::{CheckoutError, CheckoutsContext, model, source, store};
use crate::repos::{self, Upstream};
use roost_platform::broker::BrokerError;
use roost_platform::ids::RunId;
use roost_tenancy::auth::WorkspaceScope;

/// The repository of a run.
pub struct Read {
    pub bound: bound::Model,
    /// Newest first.
    pub rows: Vec<commits::Model>,
    /// What its lock files brought, by path.
    pub supplies: Vec<supply::Model>,
    /// Absent when the repository was removed.
    pub upstream: Option<Upstream>,
}

/// Reads the repository of a run.
///
/// # Errors
/// [`CheckoutError::NoBinding`].
pub async fn read(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Read, CheckoutError> {
    let db = state.db.read();
    let bound = store::bound(db, scope, run)
        .await?
        .ok_or(CheckoutError::NoBinding)?;
    Ok(Read {
        rows: store::commits(db, scope, run).await?,
        supplies: store::supplies(db, scope, run).await?,
        upstream: repos::upstream(db, scope, bound.repo_id).await?,
        bound,
    })
}

/// The difference between the base of the run and the newest commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub branch: String,
    pub base: String,
    pub commit: String,
    pub text: String,
    /// The end is left out.
    pub cut: bool,
}

/// Reads the difference of a branch: of `branch`, else of the branch with the newest commits. `commit` is the commit that
/// the branch must have.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::NoCommits`], [`CheckoutError::Moved`], and the broker's refusals.
pub async fn diff(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    run: RunId,
    (branch, expected): (Option<&str>, Option<&str>),
) -> Result<Diff, CheckoutError> {
    let read = read(state, scope, run).await?;
    let base = read.bound.base_commit.clone();
    between(state, scope, read, base, (branch, expected)).await
}

/// Reads the difference that the run itself made in a branch: from the commit at which its checkouts began, which may come
/// from another run.
///
/// # Errors
/// As [`diff`].
pub async fn own_diff(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    run: RunId,
    branch: &str,
) -> Result<Diff, CheckoutError> {
    let read = read(state, scope, run).await?;
    let base = read.bound.start_commit.clone();
    let base = base.or_else(|| read.bound.base_commit.clone());
    between(state, scope, read, base, (Some(branch), None)).await
}

async fn between(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    Read { bound, rows, .. }: Read,
    base: Option<String>,
    (branch, expected): (Option<&str>, Option<&str>),
) -> Result<Diff, CheckoutError> {
    let heads = model::heads(&rows);
    let head = heads
        .iter()
        .find(|row| branch.is_none_or(|branch| row.branch == branch));
    let head = head.ok_or(CheckoutError::NoCommits)?;
    let commit = head.head.clone().ok_or(CheckoutError::NoCommits)?;
    if expected.is_some_and(|expected| expected != commit) {
        return Err(CheckoutError::Moved(commit));
    }
    let upstream = source::of(state.db.read(), scope, &bound).await?;
    let base = base.ok_or(CheckoutError::NoCommits)?;
    let asked = GitDiff {
        name: upstream.name,
        mirror: upstream.mirror,
        base: base.clone(),
        commit: commit.clone(),
        most: model::MOST_DIFF,
    };
    let (about, mut pieces) = state.broker.git_diff(asked).await?;
    let most = usize::try_from(model::MOST_DIFF).unwrap_or(usize::MAX);
    let text = pieces.whole(most).await.map_err(BrokerError::from)?;
    Ok(Diff {
        branch: head.branch.clone(),
        base,
        commit,
        text: String::from_utf8_lossy(&text).into_owned(),
        cut: about.cut,
    })
}
