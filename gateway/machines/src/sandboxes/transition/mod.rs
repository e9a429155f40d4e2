//! Brings a transition of a sandbox to its end: sends the request, waits, and writes the answer. A job does this, and
//! starts again after a crash. Every write is conditional on the row's version, so a repetition has no second effect.
//!
//! - [`request`]: what the engine is asked in a state, and what its answer means (pure)
//! - [`write`](mod@write): writes a fact: state, quota, agent's status, events
//! - [`unreached`]: what follows when the engine did not accept the request
//! - [`wait`]: waits for the end on behalf of a caller

mod request;
mod unreached;
mod wait;
mod write;

use std::time::Duration;

use roost_protocol::report::Ended;

use super::engine::target_of;
use super::entity::container;
use super::model::State;
use super::{SandboxError, SandboxesHandle, hardening, owner, store};
use request::{Answer, is_transition};
use roost_platform::ids::OperationId;
use roost_platform::supervision::{StartError, Tenant};
use roost_tenancy::auth::WorkspaceScope;
pub(super) use wait::{refusal, wait_for_end, wait_for_new};
pub(super) use write::{Change, apply};

/// Waits between two attempts to reach a machine that does not answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Starts the job that carries a row's transition, unless it runs already. Each transition has its own job: the job that
/// made the sandbox may still read its hardening when the end is requested.
///
/// # Errors
/// When the supervisor refuses the job.
pub(super) async fn ensure_watch(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<(), SandboxError> {
    let (watcher, watched) = (sandboxes.clone(), row.clone());
    let tenant = Some(Tenant::new(row.workspace_id));
    let Some(operation) = row.operation_id else {
        return Ok(());
    };
    let started = sandboxes
        .jobs
        .spawn_job(
            format!("transition:{operation}"),
            tenant,
            move |_| async move { watch(&watcher, watched).await.map_err(Into::into) },
        )
        .await;
    match started {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Works until the row has left its transition.
///
/// # Errors
/// When the database fails; the transition continues at the next start.
async fn watch(sandboxes: &SandboxesHandle, row: container::Model) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let (mut wait, began) = (FIRST_WAIT, sandboxes.clock.monotonic());
    let mut row = row;
    loop {
        let removed = owner::is_removed(sandboxes.db.read(), scope, row.owner()).await?;
        let Some(request) = request::request_of(&row, removed) else {
            return Ok(());
        };
        let id = OperationId(request.id.uuid());
        let answer = match sandboxes.operations.submit(target_of(&row), request).await {
            Ok(_) => sandboxes.operations.wait(id).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(ended) => {
                if let Some(row) = finish(sandboxes, &row, &ended).await? {
                    if row.state == State::Running.as_str() {
                        hardening::read(sandboxes, &row).await;
                    }
                    return Ok(());
                }
            }
            Err(error) => {
                let waited = sandboxes.clock.monotonic() - began;
                if !unreached::may_still_come(sandboxes, &row, &error, waited).await? {
                    unreached::not_accepted(sandboxes, &row, error).await?;
                }
            }
        }
        match store::get(sandboxes.db.read(), scope, row.id).await? {
            Some(present) if is_transition(&present) => row = present,
            _ => return Ok(()),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Writes the result of the operation. `None` when the request must be repeated.
async fn finish(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    ended: &Ended,
) -> Result<Option<container::Model>, SandboxError> {
    match request::answer_of(row, ended, sandboxes.clock.now()) {
        Answer::Fact(fact, change) => write::write(sandboxes, row, fact, change).await,
        Answer::Repeat => {
            write::repeat(sandboxes, row).await?;
            Ok(None)
        }
        Answer::Nothing => Ok(None),
    }
}
