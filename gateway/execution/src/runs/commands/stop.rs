//! Stops one agent of a run: the step at which it works.

use crate::runs::journal::stored;
use crate::runs::stops::{self, Asked};
use crate::runs::{RunError, RunRow, RunsHandle, completion, store};
use crate::topology::StepRef;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Cancels the runs that the step started, then asks the run's owner to end the step, or ends a step that waits. A step that
/// has ended stays unchanged, and so does one that was asked to stop before.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::StepNotFound`], [`RunError::NoAgent`].
pub async fn stop(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    (id, at): (RunId, &StepRef),
) -> Result<RunRow, RunError> {
    let db = runs.inner.db.read();
    store::get(db, scope, id).await?.ok_or(RunError::NotFound)?;
    for link in store::children(db, id).await? {
        let of_step =
            link.step_key == at.key && (link.lap, link.shard) == (stored(at.lap), stored(at.shard));
        // A run that is over stays unchanged. The step of a team is not stopped, so neither is the team's run.
        if of_step && is_of_agent(runs, id, at).await? {
            super::cancel(runs, scope, user, link.child_run_id).await?;
        }
    }
    let mut change = Change::begin(runs, scope, user).await?;
    let asked = stops::ask(&change, id, at, user).await?;
    match asked {
        Asked::NoStep => return Err(RunError::StepNotFound),
        Asked::NoAgent => return Err(RunError::NoAgent),
        Asked::Unchanged => {}
        Asked::Marked { version } | Asked::Ended { version } => {
            let details = serde_json::json!({ "step": at.key, "lap": at.lap });
            change.record("run.agent_stopped", ("run", &id), details);
            change.events([Event::changed(ResourceKind::Run, id, version)]);
        }
    }
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(RunError::NotFound)?;
    change.commit().await?;
    runs.notify_stops(id);
    if matches!(asked, Asked::Ended { .. }) {
        runs.nudge();
        completion::abandon_step(runs, id, at.clone()).await;
    }
    Ok(row)
}

async fn is_of_agent(runs: &RunsHandle, id: RunId, at: &StepRef) -> Result<bool, RunError> {
    let row = store::step(runs.inner.db.read(), id, at).await?;
    Ok(row.is_some_and(|row| row.agent_id.is_some()))
}
