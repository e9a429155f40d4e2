//! What an agent may ask to be sent to the code host: the newest commit of its own branch, and a pull request from it.

use super::check_out::StepPlace;
use super::collect::collect;
use crate::checkouts::dto::OfferedBranch;
use crate::checkouts::entity::{bound, commits};
use crate::checkouts::{CheckoutError, CheckoutsContext, model, source, store};
use crate::repos::{NewPull, PullRequest, Upstream};
use roost_platform::events::{Event, ResourceKind};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// A branch that can be sent, and the address that it is sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub branch: OfferedBranch,
    pub address: String,
}

/// The agent's branch with the commits that it has now. Takes them out of the sandbox first.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::NoCommits`], [`CheckoutError::NotReceived`], and when the sandbox or the
/// broker cannot be reached.
pub async fn offer_push(
    state: &CheckoutsContext,
    at: StepPlace,
    step: &str,
) -> Result<Offer, CheckoutError> {
    let (bound, upstream, head) = own_branch(state, at, step).await?;
    let address = upstream
        .url
        .ok_or_else(|| CheckoutError::Disconnected(bound.full_name.clone()))?;
    let branch = offered(&bound, &head, None)?;
    Ok(Offer { branch, address })
}

/// A pull request from the agent's branch into the branch that the run began at. The branch must be on the host already.
///
/// # Errors
/// As [`offer_push`], and [`CheckoutError::NotPushed`], [`CheckoutError::NoTarget`].
pub async fn offer_pull(
    state: &CheckoutsContext,
    at: StepPlace,
    step: &str,
) -> Result<Offer, CheckoutError> {
    let (bound, upstream, head) = own_branch(state, at, step).await?;
    if head.pushed_at.is_none() {
        return Err(CheckoutError::NotPushed);
    }
    let target = model::pull_target(&bound, upstream.default_branch.as_deref());
    let target = target.ok_or_else(|| CheckoutError::NoTarget(bound.full_name.clone()))?;
    let address = upstream
        .pulls()
        .ok_or_else(|| CheckoutError::Disconnected(bound.full_name.clone()))?;
    let branch = offered(&bound, &head, Some(target))?;
    Ok(Offer {
        branch,
        address: address.into(),
    })
}

async fn own_branch(
    state: &CheckoutsContext,
    at: StepPlace,
    step: &str,
) -> Result<(bound::Model, Upstream, commits::Model), CheckoutError> {
    let db = state.db.read();
    let bound = store::bound(db, at.scope, at.root).await?;
    let bound = bound.ok_or(CheckoutError::NoBinding)?;
    let upstream = source::host(db, at.scope, &bound).await?;
    collect(state, at, step).await?;
    let rows = store::commits(db, at.scope, at.root).await?;
    let name = model::branch(&bound, at.sandbox_of.id());
    let newest = rows.iter().find(|row| row.branch == name);
    if let Some(why) = newest.and_then(|row| row.refused.clone()) {
        return Err(CheckoutError::NotReceived(why));
    }
    let head = model::heads(&rows)
        .into_iter()
        .find(|row| row.branch == name)
        .cloned()
        .ok_or(CheckoutError::NoCommits)?;
    Ok((bound, upstream, head))
}

fn offered(
    bound: &bound::Model,
    head: &commits::Model,
    into: Option<String>,
) -> Result<OfferedBranch, CheckoutError> {
    Ok(OfferedBranch {
        run_id: bound.run_id,
        repository: bound.full_name.clone(),
        branch: head.branch.clone(),
        commit: head.head.clone().ok_or(CheckoutError::NoCommits)?,
        commits: u64::try_from(head.commits).unwrap_or(0),
        files: u64::try_from(head.files).unwrap_or(0),
        into,
    })
}

/// The words of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullWords {
    pub title: String,
    pub body: String,
    pub draft: bool,
}

/// The request that opens the pull request of an offer.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::Disconnected`], [`CheckoutError::NoTarget`].
pub async fn pull_request(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    offered: &OfferedBranch,
    words: PullWords,
) -> Result<PullRequest, CheckoutError> {
    let db = state.db.read();
    let bound = store::bound(db, scope, offered.run_id).await?;
    let bound = bound.ok_or(CheckoutError::NoBinding)?;
    let upstream = source::host(db, scope, &bound).await?;
    let gone = || CheckoutError::Disconnected(bound.full_name.clone());
    let new = NewPull {
        title: words.title,
        body: words.body,
        draft: words.draft,
        head: offered.branch.clone(),
        base: offered
            .into
            .clone()
            .ok_or_else(|| CheckoutError::NoTarget(bound.full_name.clone()))?,
    };
    upstream.pull_request(&new).ok_or_else(gone)
}

/// Records the pull request that was opened from a branch.
///
/// # Errors
/// When the database fails.
pub async fn record_pull(
    change: &mut Change,
    offered: &OfferedBranch,
    url: &str,
) -> Result<(), sea_orm::DbErr> {
    let scope = change.scope();
    store::pulled(change, scope, offered.run_id, &offered.branch, url).await?;
    if let Some(bound) = store::touch(change, scope, offered.run_id, None).await? {
        change.event(Event::changed(
            ResourceKind::RunRepo,
            offered.run_id,
            bound.version,
        ));
    }
    Ok(())
}
