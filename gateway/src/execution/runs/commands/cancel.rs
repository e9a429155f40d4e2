//! Cancels a run with all its descendants.

use crate::execution::runs::entity::run;
use crate::execution::runs::{RunError, RunsHandle, completion, queue, status_events, store};
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RunId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

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
    let now = runs.inner.clock.now();
    let mut tx = runs.inner.db.write().await?;
    if store::get(&*tx, scope, id).await?.is_none() {
        return Err(RunError::NotFound);
    }
    let moved = queue::cancel(&tx, id, user).await?;
    let over: Vec<RunId> = moved
        .iter()
        .filter(|run| run.is_over())
        .map(|run| run.id)
        .collect();
    let mut follows = false;
    if !moved.is_empty() {
        let details = serde_json::json!({ "runs": moved.len() });
        audit::record(
            &tx,
            &runs.inner.ids,
            now,
            scope,
            user,
            "run.cancelled",
            ("run", &id),
            details,
        )
        .await?;
        let mut events: Vec<_> = moved
            .iter()
            .map(|run| Event::changed(ResourceKind::Run, run.id, run.version).in_run(run.id))
            .collect();
        events.extend(status_events::rest_all(&tx, scope, &over, now).await?);
        let ended = moved.iter().filter(|run| run.is_over());
        let of_teams = ended.map(|run| (run.id, run.workspace_id, run.team_id));
        let going = completion::apply_to_teams(runs, &mut tx, of_teams).await?;
        follows = !going.is_empty();
        events.extend(going.into_iter().map(|(_, fact)| fact.into()));
        events::append(&mut tx, scope.workspace(), now, events).await?;
    }
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(RunError::NotFound)?;
    tx.commit().await?;
    runs.notify_cancelled(moved.iter().map(|run| run.id));
    if follows {
        runs.inner.sagas.nudge();
    }
    for run in &over {
        runs.announce_end(*run);
    }
    completion::abandon_calls(runs, over).await;
    Ok(row)
}
