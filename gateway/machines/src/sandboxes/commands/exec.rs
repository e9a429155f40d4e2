//! Running a command in an owner's sandbox. The registry decides where it runs, never the request.

use bytes::Bytes;
use roost_protocol::ids as wire;
use roost_protocol::limits::{DEFAULT_DEADLINE_S, NO_DEADLINE_S};
use roost_protocol::operation::{Exec, Operation, OperationRequest, TtySize};

use super::follow::{STDIN_WITHIN, WholeOutput, of_owner, whole_output};
use crate::sandboxes::dto::{NewExec, Tty};
use crate::sandboxes::engine::{on_behalf, target_of};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::State;
use crate::sandboxes::{
    SandboxError, SandboxOwner, SandboxesHandle, Starter, command_record, owner as owners,
    persons_command, store, working,
};
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

/// Starts a command. A repeated call with the same id returns the first command, even if the sandbox has changed or ended
/// since. A retry happens when a gateway died or did not know the result.
///
/// # Errors
/// As [`start`].
pub async fn exec(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    wanted: NewExec,
    keep_stdin: bool,
    starter: Starter,
) -> Result<OperationId, SandboxError> {
    let taken = start(sandboxes, scope, owner, id, wanted, keep_stdin, starter).await;
    let (id, row) = known(sandboxes, scope, owner, id, taken).await?;
    if let Some(row) = row {
        working::ensure_watch(sandboxes, row, id).await?;
    }
    Ok(id)
}

/// Starts a command and waits for its end and its output. The job that watches it starts beside it: nobody waits for it.
///
/// # Errors
/// As [`start`] and [`whole_output`].
pub async fn exec_whole(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    wanted: NewExec,
    starter: Starter,
) -> Result<(OperationId, WholeOutput), SandboxError> {
    let taken = start(sandboxes, scope, owner, id, wanted, false, starter).await;
    let (id, row) = known(sandboxes, scope, owner, id, taken).await?;
    let watched = async {
        match row {
            Some(row) => working::ensure_watch(sandboxes, row, id).await,
            None => Ok(()),
        }
    };
    let output = whole_output(sandboxes, scope, owner, id);
    let ((), output) = tokio::try_join!(watched, output)?;
    Ok((id, output))
}

/// A command that could not be started may have been started before, with the same id.
async fn known(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    taken: Result<(OperationId, container::Model), SandboxError>,
) -> Result<(OperationId, Option<container::Model>), SandboxError> {
    match taken {
        Ok((id, row)) => Ok((id, Some(row))),
        Err(error) => match of_owner(sandboxes, scope, owner, id).await {
            Ok(_) => Ok((id, None)),
            Err(_) => Err(error),
        },
    }
}

/// Starts a command. `keep_stdin` leaves stdin open when the request has no text for it.
///
/// # Errors
/// [`SandboxError::NoSandbox`], [`SandboxError::NotRunning`], [`SandboxError::Lost`], [`SandboxError::TooFast`], or the
/// reason why the machine did not accept it.
async fn start(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    wanted: NewExec,
    keep_stdin: bool,
    starter: Starter,
) -> Result<(OperationId, container::Model), SandboxError> {
    let Some(row) = store::current(sandboxes.db.read(), scope, owner.id()).await? else {
        // Another tenant's owner and one that never existed get the same answer.
        let name = owners::name(sandboxes, scope, owner).await?;
        return Err(match name {
            Some(_) => SandboxError::NoSandbox(owner.kind()),
            None => SandboxError::NoOwner(owner.kind()),
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
    let now = sandboxes.clock.monotonic();
    sandboxes.rates.take(scope.workspace(), starter, now)?;
    let target = target_of(&row);
    let is_shell = command_record::is_shell(&wanted, starter);
    let request = request(&row, id, &wanted, keep_stdin, is_shell);
    let record = command_record::of(row.owner_kind, &wanted, starter);
    if let Starter::Agent(about) = starter {
        sandboxes.operations.is_about(id, about);
    }
    let entry = match starter {
        Starter::Person(_) => {
            let name = owners::name(sandboxes, scope, owner).await?;
            let about = (&row, name.unwrap_or_default());
            persons_command::entry(sandboxes, scope, starter, about, &wanted, id)
        }
        Starter::Agent(_) => None,
    };
    let taken = sandboxes
        .operations
        .submit_for(target, request, record, entry)
        .await?;
    if let Some(text) = wanted.stdin {
        sandboxes
            .operations
            .stdin(id, 0, Bytes::from(text), true, STDIN_WITHIN)
            .await?;
    }
    Ok((taken.id, row))
}

fn request(
    row: &container::Model,
    id: OperationId,
    wanted: &NewExec,
    keep_stdin: bool,
    is_shell: bool,
) -> OperationRequest {
    // A shell ends when nobody reads it (`working`).
    let default = if is_shell {
        NO_DEADLINE_S
    } else {
        DEFAULT_DEADLINE_S
    };
    let tty = match wanted.tty {
        None | Some(Tty::Wanted(false)) => None,
        Some(Tty::Wanted(true)) => Some(TtySize { rows: 24, cols: 80 }),
        Some(Tty::Size(size)) => Some(TtySize {
            rows: size.rows,
            cols: size.cols,
        }),
    };
    OperationRequest {
        purpose: wanted.purpose.clone(),
        id: wire::OperationId(id.0),
        on_behalf: Some(on_behalf(row)),
        operation: Operation::SbExec(Exec {
            sandbox: wire::SandboxId(row.id.0),
            argv: wanted.argv.clone(),
            cwd: wanted.cwd.clone(),
            env: wanted.env.clone(),
            stdin: keep_stdin || wanted.stdin.is_some(),
            tty,
            deadline_s: wanted.deadline_s.unwrap_or(default),
        }),
    }
}
