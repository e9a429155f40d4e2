//! An agent has the status `working` while one of the commands in its sandbox runs. A command in a team's sandbox changes
//! no agent: a step at work does that.
//!
//! The rows of operations decide what runs. There is no count in memory, because the rows stay true across restarts and
//! gateways. [`resume`] starts a watching job again that was lost with its gateway.

use std::pin::Pin;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use roost_protocol::limits::SANDBOX_LEASE_S;

use super::entity::container;
use super::model::State;
use super::{SandboxError, SandboxesHandle, agent_status, engine, store};
use crate::fleet::operations::{self, OperationRow, OperationsError};
use roost_agents::claws;
use roost_platform::events::AgentState;
use roost_platform::ids::OperationId;
use roost_platform::supervision::{StartError, Tenant};
use roost_tenancy::auth::WorkspaceScope;

/// A command that ends sooner never changes the status: this saves an event and a write for a short change.
const SHOWN_AFTER: Duration = Duration::from_millis(250);
/// How often a shell is checked for readers.
const LOOK_EVERY: Duration = Duration::from_secs(20);
/// How long after its end the output of a command is looked for, when it could not be kept with the end.
const KEPT_WITHIN: TimeDelta = TimeDelta::minutes(10);
/// The most outputs that one look keeps.
const AT_ONCE: u64 = 50;
/// How exact the time of the last use is: it is written at most this often.
const TOUCHED_EVERY: TimeDelta = TimeDelta::seconds(30);

/// Starts the job that watches a command, unless it runs already.
///
/// # Errors
/// When the supervisor refuses the job.
pub(super) async fn ensure_watch(
    sandboxes: &SandboxesHandle,
    row: container::Model,
    command: OperationId,
) -> Result<(), SandboxError> {
    let (watcher, tenant) = (sandboxes.clone(), Tenant::new(row.workspace_id));
    let started = sandboxes
        .jobs
        .spawn_job(
            format!("exec:{command}"),
            Some(tenant),
            move |_| async move { watch(&watcher, row, command).await.map_err(Into::into) },
        )
        .await;
    match started {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn watch(
    sandboxes: &SandboxesHandle,
    row: container::Model,
    command: OperationId,
) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let ended = sandboxes.operations.wait(command);
    tokio::pin!(ended);
    let mut outcome = tokio::time::timeout(SHOWN_AFTER, ended.as_mut()).await.ok();
    if outcome.is_none() {
        let status = sandboxes.operations.status(scope, command).await?;
        outcome = Some(if status.is_some_and(|status| status.row.is_shell) {
            end_of_shell(sandboxes, command, ended.as_mut()).await
        } else {
            if let Some(agent) = row.owner().agent() {
                agent_status::show(sandboxes, scope, agent, AgentState::Working).await?;
            }
            ended.await
        });
    }
    if let Some(Err(OperationsError::HeldElsewhere(_) | OperationsError::LocalOff)) = outcome {
        // Another gateway has the machine, and watches the command.
        return Ok(());
    }
    // The row has the output already, unless some of it was still on its way.
    if let Some(Ok(_)) = outcome {
        sandboxes.operations.keep_output(command).await?;
    }
    rest(sandboxes, &row).await
}

/// Waits for the end of a shell. Cancels it when nobody has read its output for a while: an open page reads. A shell is no
/// work of its agent.
async fn end_of_shell<T>(
    sandboxes: &SandboxesHandle,
    shell: OperationId,
    mut ended: Pin<&mut impl Future<Output = T>>,
) -> T {
    let mut read_at = sandboxes.clock.monotonic();
    loop {
        if let Ok(end) = tokio::time::timeout(LOOK_EVERY, ended.as_mut()).await {
            return end;
        }
        let now = sandboxes.clock.monotonic();
        if sandboxes.operations.is_read(shell) {
            read_at = now;
        } else if is_abandoned(read_at, now, sandboxes.settings.commands.shell_unread) {
            // A machine that is away gets the next attempt.
            if let Err(error) = sandboxes.operations.cancel(shell).await {
                tracing::info!(%error, operation = %shell, "the gateway cannot end a shell that nobody reads; it tries again");
            }
        }
    }
}

/// Whether nobody has read a shell's output for so long that it ends.
fn is_abandoned(read_at: Instant, now: Instant, unread_for: Duration) -> bool {
    now.saturating_duration_since(read_at) >= unread_for
}

/// After a command: records the use, and sets the agent to idle unless another command still runs.
async fn rest(sandboxes: &SandboxesHandle, row: &container::Model) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let now = sandboxes.clock.now();
    let resting = match row.owner().agent() {
        Some(agent) => {
            let states = claws::states(sandboxes.db.read(), scope, [agent]).await?;
            states.get(&agent) == Some(&AgentState::Idle)
        }
        None => true,
    };
    if !resting || row.last_used_at + TOUCHED_EVERY <= now {
        let mut tx = sandboxes.db.write().await?;
        store::touch(&*tx, scope, row.id, now).await?;
        let running = store::get(&*tx, scope, row.id)
            .await?
            .is_some_and(|row| row.state == State::Running.as_str());
        if let (true, Some(agent)) = (running, row.owner().agent())
            && !operations::any_work_open(&*tx, row.id).await?
        {
            // An agent with a step at work stays `working`.
            claws::status::set(&mut tx, scope, agent, AgentState::Idle, now).await?;
        }
        tx.commit().await?;
    }
    // A machine that went away meanwhile renews the lease by its own record of the command.
    let _ = sandboxes
        .operations
        .renew(engine::target_of(row), vec![row.id], SANDBOX_LEASE_S);
    Ok(())
}

/// Watches the commands that another gateway left, and corrects the status of agents whose watcher was lost.
///
/// # Errors
/// When the database fails.
pub(super) async fn resume(sandboxes: &SandboxesHandle) -> Result<(), SandboxError> {
    let db = sandboxes.db.read();
    for command in operations::open_commands(db).await? {
        let (Some(sandbox), Some(workspace)) = (command.sandbox_id, command.workspace_id) else {
            continue;
        };
        let scope = WorkspaceScope::of_row(workspace);
        if let Some(row) = store::get(db, scope, sandbox).await? {
            ensure_watch(sandboxes, row, command.id).await?;
        }
    }
    let recent = sandboxes.clock.now() - KEPT_WITHIN;
    for command in operations::ended_without_output(db, recent, AT_ONCE).await? {
        keep_output(sandboxes, command).await?;
    }
    for row in store::running_of_working_agents(db).await? {
        if !operations::any_work_open(db, row.id).await? {
            rest(sandboxes, &row).await?;
        }
    }
    Ok(())
}

/// Keeps the output of a command whose watcher was lost. The machine may be away, so a job waits for it.
async fn keep_output(
    sandboxes: &SandboxesHandle,
    command: OperationRow,
) -> Result<(), SandboxError> {
    let Some(workspace) = command.workspace_id else {
        return Ok(());
    };
    let (operations, id) = (sandboxes.operations.clone(), command.id);
    let started = sandboxes
        .jobs
        .spawn_job(
            format!("output:{id}"),
            Some(Tenant::new(workspace)),
            move |_| async move { operations.keep_output(id).await.map_err(Into::into) },
        )
        .await;
    match started {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_ends_after_thirty_minutes_without_a_reader() {
        let read_at = Instant::now();
        let after = |minutes: u64| read_at + Duration::from_secs(minutes * 60);
        let most = Duration::from_secs(30 * 60);
        assert!(!is_abandoned(read_at, after(29), most));
        assert!(is_abandoned(read_at, after(30), most));
        // The clock of a gateway never goes back; a wrong reading ends nothing.
        assert!(!is_abandoned(after(60), read_at, most));
    }
}
