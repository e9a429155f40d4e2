//! Cancels a run with all its descendants.

use crate::runs::entity::run;
use crate::runs::queue::Moved;
use crate::runs::{RunError, RunsHandle, completion, ends, queue, status_events, store};
use roost_platform::ids::{ClawId, RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Marks the tree in one statement, then informs the owners. A run that is over stays unchanged, and its cancellation
/// is not an error.
///
/// # Errors
/// [`RunError::NotFound`].
pub async fn cancel(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
) -> Result<run::Model, RunError> {
    let mut change = Change::begin(runs, scope, user).await?;
    if store::get(change.tx(), scope, id).await?.is_none() {
        return Err(RunError::NotFound);
    }
    let moved = queue::cancel(&change, id, user).await?;
    let queue::Moves {
        runs: moved,
        rested,
    } = moved;
    let over: Vec<RunId> = moved
        .iter()
        .filter(|run| run.is_over())
        .map(|run| run.id)
        .collect();
    if !moved.is_empty() {
        let details = serde_json::json!({ "runs": moved.len() });
        change.record("run.cancelled", ("run", &id), details);
        change.events(moved.iter().map(Moved::changed));
        let resting = status_events::change_agents(&change, &rested, &[]).await?;
        change.events(resting);
        let ends = ends::of_runs(change.tx(), &over).await?;
        let now = runs.inner.clock.now();
        let with = (&*runs.inner.after, &runs.inner.wakes);
        let follows = completion::follow(with, now, &mut change, &ends).await?;
        change.events(follows.into_iter().map(|(_, event)| event));
    }
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(RunError::NotFound)?;
    change.commit().await?;
    runs.notify_cancelled(moved.iter().map(|run| run.id));
    for run in &over {
        runs.announce_end(*run);
    }
    completion::abandon_calls(runs, over).await;
    Ok(row)
}

/// Cancels the open runs that give work to an agent that is deleted. No new run of it can begin: a run begins only
/// while its agent lives.
///
/// # Errors
/// When the database fails.
pub async fn cancel_of_agent(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
) -> Result<(), RunError> {
    for run in store::open_of_agent(runs.inner.db.read(), scope, agent).await? {
        cancel(runs, scope, user, run).await?;
    }
    Ok(())
}
