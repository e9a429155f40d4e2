//! Waits for the end of a transition on behalf of a caller.

use std::time::Duration;

use roost_protocol::report::{ErrorKind, OperationError, Outcome};

use super::request::is_transition;
use super::unreached;
use crate::fleet;
use crate::fleet::operations::OperationsError;
use crate::sandboxes::engine::node_of;
use crate::sandboxes::entity::container;
use crate::sandboxes::model::State;
use crate::sandboxes::{SandboxError, SandboxesHandle, store};
use roost_tenancy::auth::WorkspaceScope;

/// How often the wait for a new sandbox checks whether its machine is still connected.
const CHECK: Duration = Duration::from_secs(10);

/// Waits until the row has left its transition, or until the time is up, and returns it.
pub(in crate::sandboxes) async fn wait_for_end(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    waited: &container::Model,
    within: Duration,
) -> Result<container::Model, SandboxError> {
    wait(sandboxes, scope, waited, within, None).await
}

/// As [`wait_for_end`], for a caller that needs the sandbox.
///
/// # Errors
/// [`OperationsError::NodeOffline`] when the machine left with the request for a new sandbox. It makes the sandbox when it is
/// back.
pub(in crate::sandboxes) async fn wait_for_new(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    waited: &container::Model,
    within: Duration,
) -> Result<container::Model, SandboxError> {
    wait(sandboxes, scope, waited, within, Some(CHECK)).await
}

/// `check`: how often to check that the machine of a new sandbox is still connected.
async fn wait(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    waited: &container::Model,
    within: Duration,
    check: Option<Duration>,
) -> Result<container::Model, SandboxError> {
    let begun = sandboxes.clock.monotonic();
    let mut checked = begun;
    // The hub reports each change of the row. The watch begins before the first read, so no change is missed.
    let changes = sandboxes.db.hub().watch(scope.workspace());
    loop {
        let row = store::get(sandboxes.db.read(), scope, waited.id)
            .await?
            .ok_or(SandboxError::NoSandbox(waited.owner_kind))?;
        let now = sandboxes.clock.monotonic();
        let left = (begun + within).saturating_duration_since(now);
        if !is_transition(&row) || left.is_zero() {
            return Ok(row);
        }
        let is_new = State::parse(&row.state) == Some(State::Provisioning);
        if is_new && check.is_some_and(|check| now.saturating_duration_since(checked) >= check) {
            left_with_request(sandboxes, scope, &row).await?;
            checked = now;
        }
        // Another gateway may make the change: read the row at least every second.
        let _ = tokio::time::timeout(left.min(Duration::from_secs(1)), changes.changed()).await;
    }
}

/// A machine that does not have the request is no error: the sandbox is about to be made elsewhere, or to fail.
async fn left_with_request(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    row: &container::Model,
) -> Result<(), SandboxError> {
    // The gateway's own host has no id, and is always available.
    let (Some(node), Some(request)) = (node_of(&row.node_id), row.operation_id) else {
        return Ok(());
    };
    let machine = fleet::availability(sandboxes.db.read(), scope, node).await?;
    let is_away = machine.is_some_and(|machine| !machine.connected);
    if is_away && sandboxes.operations.status(scope, request).await?.is_some() {
        return Err(OperationsError::NodeOffline(node).into());
    }
    Ok(())
}

/// Why a sandbox failed, as one of the machine's error kinds.
pub(in crate::sandboxes) async fn refusal(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> SandboxError {
    let detail = row
        .detail
        .clone()
        .unwrap_or_else(|| "the sandbox could not be made".to_owned());
    if let Some(id) = row.operation_id
        && let Ok(ended) = sandboxes.operations.wait(id).await
        && let Outcome::Error { error } = &ended.outcome
    {
        return SandboxError::Refused(OperationError {
            detail,
            ..error.clone()
        });
    }
    if let Some(error) = unreached::only_machine_away(row) {
        return error.into();
    }
    // No machine got the request. If the sandbox was wanted elsewhere, that machine may be back the next time.
    let kind = match row.fallback {
        Some(_) => ErrorKind::EngineUnavailable,
        None => ErrorKind::Internal,
    };
    SandboxError::Refused(OperationError::new(kind, detail))
}
