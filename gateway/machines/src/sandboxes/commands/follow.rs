//! A command that was started: its state, output, stdin, terminal size, cancellation.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use roost_protocol::operation::TtySize;
use roost_protocol::output::StreamName;
use roost_protocol::report::Ended;

use crate::fleet;
use crate::fleet::operations::{OperationStatus, OperationsError, OutputItem, OutputStream, Part};
use crate::sandboxes::engine::node_of;
use crate::sandboxes::{SandboxError, SandboxOwner, SandboxesHandle, store};
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

/// How long the machine may take to accept stdin.
pub(super) const STDIN_WITHIN: Duration = Duration::from_secs(30);
/// The most output of [`whole_output`], bytes.
const WHOLE_BYTES: usize = 1024 * 1024;

/// A command of this owner. A command of another owner or workspace is not found.
///
/// # Errors
/// [`SandboxError::NoOperation`].
pub async fn of_owner(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
) -> Result<OperationStatus, SandboxError> {
    sandboxes
        .operations
        .status(scope, id)
        .await?
        .filter(|status| status.row.owner_id == Some(owner.id()) && status.row.kind == "sb_exec")
        .ok_or(SandboxError::NoOperation)
}

/// The output of a command of this owner from `offset`, then its end.
///
/// # Errors
/// [`SandboxError::NoOperation`], or an error when another gateway has it.
pub async fn output(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    offset: u64,
) -> Result<OutputStream, SandboxError> {
    of_owner(sandboxes, scope, owner, id).await?;
    Ok(sandboxes.operations.subscribe(id, offset).await?)
}

/// Requests that a command of this owner stops. Its end shows whether it did.
///
/// # Errors
/// [`SandboxError::NoOperation`], or an error when the request cannot be sent now.
pub async fn cancel(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
) -> Result<(), SandboxError> {
    of_owner(sandboxes, scope, owner, id).await?;
    Ok(sandboxes.operations.cancel(id).await?)
}

/// The output of a command that ended.
#[derive(Debug)]
pub struct WholeOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Output was left out: beyond 1 MiB of both streams, or lost before.
    pub truncated: bool,
    pub ended: Arc<Ended>,
}

/// Waits for the end of a command of this owner, and returns its output.
///
/// # Errors
/// [`SandboxError::NoOperation`]; [`SandboxError::TooSlow`] when another gateway took the machine over.
pub async fn whole_output(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
) -> Result<WholeOutput, SandboxError> {
    let mut output = match sandboxes.operations.is_command_of(scope, owner.id(), id) {
        Some(true) => sandboxes.operations.subscribe(id, 0).await?,
        Some(false) => return Err(SandboxError::NoOperation),
        None => output(sandboxes, scope, owner, id, 0).await?,
    };
    let (mut stdout, mut stderr, mut truncated) = (Vec::new(), Vec::new(), false);
    while let Some(item) = output.next().await {
        match item {
            OutputItem::Part(Part::Gap { .. }) => truncated = true,
            OutputItem::Part(Part::Data { stream, data, .. }) => {
                let room = WHOLE_BYTES.saturating_sub(stdout.len() + stderr.len());
                truncated |= data.len() > room;
                let kept = &data[..data.len().min(room)];
                match stream {
                    StreamName::Stdout => stdout.extend_from_slice(kept),
                    StreamName::Stderr => stderr.extend_from_slice(kept),
                }
            }
            OutputItem::Ended(ended) => {
                return Ok(WholeOutput {
                    stdout,
                    stderr,
                    truncated: truncated || ended.output_dropped > 0,
                    ended,
                });
            }
        }
    }
    Err(SandboxError::TooSlow)
}

/// Sends bytes to the stdin of a command of this owner. Returns the offset after them. When only the end of stdin is sent
/// and the command has ended, stdin is closed already, and the offset is the given one.
///
/// # Errors
/// [`SandboxError::NoOperation`], or an error when it cannot be sent now.
pub async fn stdin(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    offset: u64,
    data: Bytes,
    eof: bool,
) -> Result<u64, SandboxError> {
    of_owner(sandboxes, scope, owner, id).await?;
    let only_end = eof && data.is_empty();
    let operations = &sandboxes.operations;
    match operations.stdin(id, offset, data, eof, STDIN_WITHIN).await {
        Err(OperationsError::Over(_)) if only_end => Ok(offset),
        taken => Ok(taken?),
    }
}

/// Sends the terminal of a command of this owner its new size.
///
/// # Errors
/// [`SandboxError::NoOperation`], or an error when it cannot be sent now.
pub async fn resize(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    size: TtySize,
) -> Result<(), SandboxError> {
    of_owner(sandboxes, scope, owner, id).await?;
    Ok(sandboxes.operations.resize(id, size).await?)
}

/// Whether the machine of the owner's sandbox is connected, to this gateway or another.
///
/// # Errors
/// [`OperationsError::NodeOffline`] when it is not.
pub async fn reached(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<(), SandboxError> {
    let db = sandboxes.db.read();
    let row = store::current(db, scope, owner.id()).await?;
    // The gateway's own host has no id, and is always available.
    let Some(node) = row.and_then(|row| node_of(&row.node_id)) else {
        return Ok(());
    };
    match fleet::availability(db, scope, node).await? {
        Some(found) if !found.connected => Err(OperationsError::NodeOffline(node).into()),
        _ => Ok(()),
    }
}
