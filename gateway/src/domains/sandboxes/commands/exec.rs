//! Running a command in an agent's sandbox. Where it runs is read from the registry, never from the request.

use std::time::Duration;

use bytes::Bytes;
use roost_protocol::ids as wire;
use roost_protocol::limits::DEFAULT_DEADLINE_S;
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest, TtySize};

use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::domains::fleet;
use crate::domains::sandboxes::dto::{NewExec, Tty};
use crate::domains::sandboxes::entity::container;
use crate::domains::sandboxes::model::State;
use crate::domains::sandboxes::{SandboxError, SandboxesHandle, settle, store, working};
use crate::ids::{ClawId, NodeId, OperationId};
use crate::operations::{OperationsError, OutputStream, Standing};

/// How long the machine may take to take stdin.
const STDIN_WITHIN: Duration = Duration::from_secs(30);

/// Starts a command. Repeated with its id (a key after a gateway died or did not know) it is the command that runs or ran
/// already, whatever has become of the sandbox since.
///
/// # Errors
/// As [`start`].
pub async fn exec(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
    wanted: NewExec,
    keep_stdin: bool,
) -> Result<OperationId, SandboxError> {
    match start(sandboxes, scope, agent, id, wanted, keep_stdin).await {
        Err(error) => match of_agent(sandboxes, scope, agent, id).await {
            Ok(_) => Ok(id),
            Err(_) => Err(error),
        },
        taken => taken,
    }
}

/// Starts a command; `keep_stdin` leaves stdin open when the request holds none.
///
/// # Errors
/// [`SandboxError::NoSandbox`], [`SandboxError::NotRunning`], [`SandboxError::Lost`], or why the machine did not take it.
async fn start(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
    wanted: NewExec,
    keep_stdin: bool,
) -> Result<OperationId, SandboxError> {
    let Some(row) = store::current(sandboxes.db.read(), scope, agent).await? else {
        // Another tenant's agent and one that never was are answered alike.
        let claw = claws::store::get(sandboxes.db.read(), scope, agent).await?;
        return Err(match claw {
            Some(_) => SandboxError::NoSandbox,
            None => SandboxError::NoClaw,
        });
    };
    match State::parse(&row.state) {
        Some(State::Running) => {}
        Some(State::Lost) => return Err(SandboxError::Lost),
        other => {
            return Err(SandboxError::NotRunning(
                other.map_or("in an unknown state", State::as_str),
            ));
        }
    }
    let target = settle::target_of(&row);
    let request = request(&row, id, &wanted, keep_stdin);
    let taken = sandboxes.operations.submit(target, request).await?;
    if let Some(text) = wanted.stdin {
        sandboxes
            .operations
            .stdin(id, 0, Bytes::from(text), true, STDIN_WITHIN)
            .await?;
    }
    working::ensure_watch(sandboxes, row, id).await?;
    Ok(taken.id)
}

fn request(
    row: &container::Model,
    id: OperationId,
    wanted: &NewExec,
    keep_stdin: bool,
) -> OperationRequest {
    let tty = match wanted.tty {
        None | Some(Tty::Wanted(false)) => None,
        Some(Tty::Wanted(true)) => Some(TtySize { rows: 24, cols: 80 }),
        Some(Tty::Size(size)) => Some(TtySize {
            rows: size.rows,
            cols: size.cols,
        }),
    };
    OperationRequest {
        id: wire::OperationId(id.0),
        on_behalf: Some(OnBehalf {
            workspace: wire::WorkspaceId(row.workspace_id.0),
            agent: wire::AgentId(row.agent_id.0),
        }),
        operation: Operation::SbExec(Exec {
            sandbox: wire::SandboxId(row.id.0),
            argv: wanted.argv.clone(),
            cwd: wanted.cwd.clone(),
            env: wanted.env.clone(),
            stdin: keep_stdin || wanted.stdin.is_some(),
            tty,
            deadline_s: wanted.deadline_s.unwrap_or(DEFAULT_DEADLINE_S),
        }),
    }
}

/// A command of this agent; another agent's or workspace's does not exist.
///
/// # Errors
/// [`SandboxError::NoOperation`].
pub async fn of_agent(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
) -> Result<Standing, SandboxError> {
    sandboxes
        .operations
        .standing(scope, id)
        .await?
        .filter(|standing| standing.row.agent_id == Some(agent) && standing.row.kind == "sb_exec")
        .ok_or(SandboxError::NoOperation)
}

/// The output of a command of this agent from its beginning, then its end.
///
/// # Errors
/// [`SandboxError::NoOperation`], or that another gateway has it.
pub async fn output(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
) -> Result<OutputStream, SandboxError> {
    of_agent(sandboxes, scope, agent, id).await?;
    Ok(sandboxes.operations.subscribe(id, 0).await?)
}

/// Asks a command of this agent to stop; its end says whether it did.
///
/// # Errors
/// [`SandboxError::NoOperation`], or that it cannot be said to it now.
pub async fn cancel(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
) -> Result<(), SandboxError> {
    of_agent(sandboxes, scope, agent, id).await?;
    Ok(sandboxes.operations.cancel(id).await?)
}

/// Whether the machine that has the agent's sandbox is there to be asked. One that another gateway holds is.
///
/// # Errors
/// [`OperationsError::NodeOffline`] when it is not.
pub async fn reached(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), SandboxError> {
    let db = sandboxes.db.read();
    let row = store::current(db, scope, agent).await?;
    // The gateway's own host has no id, and is always there.
    let Some(node) = row.and_then(|row| row.node_id.parse::<NodeId>().ok()) else {
        return Ok(());
    };
    match fleet::standing(db, scope, node).await? {
        Some(standing) if !standing.connected => Err(OperationsError::NodeOffline(node).into()),
        _ => Ok(()),
    }
}
