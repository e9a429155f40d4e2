//! A person pushes the branch of a run to its code host. The broker pushes exactly the commit that the person saw.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::GitPush;

use crate::checkouts::{CheckoutError, CheckoutsContext, model, source, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The longest push. It is shorter than the time after which a door counts as cut off.
const DEADLINE_MS: u64 = 90_000;

/// A branch that the host has now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    pub branch: String,
    pub commit: String,
    /// The host had this commit already.
    pub unchanged: bool,
    pub at: DateTime<Utc>,
}

/// Pushes the newest received commit of a branch: of `branch`, else of the branch with the newest commits. `commit` is
/// the commit that the person saw.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::NoCommits`], [`CheckoutError::Moved`], and the broker's refusals.
pub async fn push(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    user: UserId,
    run: RunId,
    (branch, commit): (Option<String>, Option<String>),
) -> Result<Pushed, CheckoutError> {
    let db = state.db.read();
    let bound = store::bound(db, scope, run)
        .await?
        .ok_or(CheckoutError::NoBinding)?;
    let upstream = source::host(db, scope, &bound).await?;
    let rows = store::commits(db, scope, run).await?;
    let heads = model::heads(&rows);
    let head = heads
        .iter()
        .find(|row| branch.as_ref().is_none_or(|branch| row.branch == *branch));
    let head = head.ok_or(CheckoutError::NoCommits)?;
    let newest = head.head.clone().ok_or(CheckoutError::NoCommits)?;
    if commit.is_some_and(|commit| commit != newest) {
        return Err(CheckoutError::Moved(newest));
    }
    let gone = || CheckoutError::Disconnected(bound.full_name.clone());
    let asked = GitPush {
        name: upstream.name,
        mirror: upstream.mirror,
        url: upstream.url.ok_or_else(gone)?,
        user: upstream.user,
        branch: head.branch.clone(),
        commit: newest.clone(),
        deadline_ms: Some(DEADLINE_MS),
        on_behalf: format!("user {user}, run {run}"),
    };
    let done = state.broker.git_push(asked).await?;
    let mut change = Change::begin(state, scope, user).await?;
    let at = change.now();
    store::pushed(&change, scope, run, (&head.branch, &newest), at).await?;
    let details = serde_json::json!({
        "repo": bound.full_name, "branch": head.branch, "commit": newest, "unchanged": done.unchanged,
    });
    change.record("repo.push", ("run", &run), details);
    if let Some(bound) = store::touch(&change, scope, run, None).await? {
        change.event(Event::changed(ResourceKind::RunRepo, run, bound.version));
    }
    change.commit().await?;
    Ok(Pushed {
        branch: head.branch.clone(),
        commit: newest,
        unchanged: done.unchanged,
        at,
    })
}
