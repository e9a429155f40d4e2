//! Cancelling a run with all that it has started.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::entity::run;
use crate::domains::runs::model::Status;
use crate::domains::runs::{RunError, RunsHandle, queue, shown, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{RunId, UserId};

/// Marks the tree in one statement, then tells the owners. What is over stays as it is: cancelling it is no error.
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
        let mut told: Vec<_> = moved
            .iter()
            .map(|run| Event::changed(ResourceKind::Run, run.id, run.version).in_run(run.id))
            .collect();
        let over: Vec<RunId> = moved
            .iter()
            .filter(|run| run.status == Status::Cancelled.as_str())
            .map(|run| run.id)
            .collect();
        told.extend(shown::all_resting(&tx, scope, &over, now).await?);
        events::append(&mut tx, scope.workspace(), now, told).await?;
    }
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(RunError::NotFound)?;
    tx.commit().await?;
    runs.tell_cancelled(moved.iter().map(|run| run.id));
    for over in moved {
        if Status::parse(&over.status) == Some(Status::Cancelled) {
            runs.tell_ended(over.id);
        }
    }
    Ok(row)
}
