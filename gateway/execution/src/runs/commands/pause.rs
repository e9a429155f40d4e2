//! Pauses a run with all runs below it, and resumes it.

use super::say::is_open;
use crate::runs::entity::run;
use crate::runs::message_store::{self, Mark};
use crate::runs::queue::Moved;
use crate::runs::waits::WaitOn;
use crate::runs::{RunError, RunsHandle, store};
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Asks the run and the runs below it to pause. A step stops before its next turn or call, and is parked. What it has
/// begun, it ends first. A run that is paused stays so.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::Over`].
pub async fn pause(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
) -> Result<run::Model, RunError> {
    let mut change = of_open_run(runs, scope, user, id).await?;
    let marked = message_store::mark(&change, id, Mark::Pause(user)).await?;
    noted(&mut change, "run.paused", id, &marked);
    ended(change, scope, id).await
}

/// Resumes the run and the runs below it. Each step continues at the place where it stopped. A run that is not paused
/// stays unchanged.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::Over`].
pub async fn resume(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
) -> Result<run::Model, RunError> {
    let mut change = of_open_run(runs, scope, user, id).await?;
    let marked = message_store::mark(&change, id, Mark::Resume).await?;
    for run in &marked {
        let on = WaitOn::Pause { run: run.id };
        runs.inner.wakes.wake(&mut change, on).await?;
    }
    noted(&mut change, "run.resumed", id, &marked);
    ended(change, scope, id).await
}

/// Begins a change of a run that has not ended.
async fn of_open_run(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
) -> Result<Change, RunError> {
    let change = Change::begin(runs, scope, user).await?;
    let row = store::get(change.tx(), scope, id).await?;
    match is_open(&row.ok_or(RunError::NotFound)?) {
        true => Ok(change),
        false => Err(RunError::Over),
    }
}

fn noted(change: &mut Change, action: &'static str, id: RunId, marked: &[Moved]) {
    if marked.is_empty() {
        return;
    }
    let details = serde_json::json!({ "runs": marked.len() });
    change.record(action, ("run", &id), details);
    change.events(marked.iter().map(Moved::changed));
}

async fn ended(change: Change, scope: WorkspaceScope, id: RunId) -> Result<run::Model, RunError> {
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(RunError::NotFound)?;
    change.commit().await?;
    Ok(row)
}
