//! What follows when the engine did not accept a request.

use std::time::Duration;

use super::write::{Change, write};
use crate::fleet::operations::OperationsError;
use crate::sandboxes::engine::{LOCAL, node_of};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::{Fact, Fallback, Placement, Reason, State};
use crate::sandboxes::snapshots::restore;
use crate::sandboxes::{SandboxError, SandboxesHandle, commands, dto, store};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{NodeId, fresh};
use roost_tenancy::auth::WorkspaceScope;

/// How long a chosen machine may be away before the sandbox goes to another place. After a restart of the gateway all
/// machines are away for a moment.
const MACHINE_RETURNS: Duration = Duration::from_secs(15);

/// Whether the machine may only be away for a moment: it has the request and still has to answer, or it had no time yet
/// to come back.
pub(super) async fn may_still_come(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    error: &OperationsError,
    waited: Duration,
) -> Result<bool, SandboxError> {
    if !matches!(
        error,
        OperationsError::NodeOffline(_) | OperationsError::HeldElsewhere(_)
    ) {
        return Ok(false);
    }
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let asked = match row.operation_id {
        Some(id) => sandboxes.operations.status(scope, id).await?.is_some(),
        None => false,
    };
    Ok(asked || waited < MACHINE_RETURNS)
}

/// What becomes of a new sandbox whose machine did not accept the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unreached {
    /// It is made on the gateway's own host.
    FallsBack(Fallback),
    /// It is not made. What wants it waits for the machine, or learns why.
    NotMade,
}

/// Decides what becomes of it. `reason` is absent for an error that another machine would not change. `pinned` is the only
/// machine that the sandbox may be on.
fn unreached(wanted: Option<NodeId>, reason: Option<Reason>, pinned: Option<NodeId>) -> Unreached {
    match (reason, wanted) {
        (Some(reason), Some(wanted)) if pinned != Some(wanted) => {
            Unreached::FallsBack(Fallback { wanted, reason })
        }
        _ => Unreached::NotMade,
    }
}

/// Why a sandbox was not made that may be on this machine only. `None` when the machine was there.
pub(super) fn only_machine_away(row: &container::Model) -> Option<OperationsError> {
    let node = node_of(&row.node_id)?;
    let detail = row.detail.as_deref()?;
    [
        OperationsError::NodeOffline(node),
        OperationsError::NodeDraining(node),
        OperationsError::UnknownNode(node),
    ]
    .into_iter()
    .find(|error| error.to_string() == detail)
}

/// The machine did not accept the request. A new sandbox goes to the gateway's own host instead, as specified, unless it may
/// be on that machine only. The request to end a sandbox is repeated later.
pub(super) async fn not_accepted(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    error: OperationsError,
) -> Result<(), SandboxError> {
    if State::parse(&row.state) != Some(State::Provisioning) {
        return match error {
            // The machine was deleted: a confirmation will never come.
            OperationsError::UnknownNode(_) => {
                write(sandboxes, row, Fact::MachineLost, Change::default())
                    .await
                    .map(drop)
            }
            OperationsError::Db(error) => Err(error.into()),
            _ => Ok(()),
        };
    }
    let reason = match &error {
        OperationsError::NodeOffline(_) | OperationsError::HeldElsewhere(_) => {
            Some(Reason::NodeOffline)
        }
        OperationsError::NodeDraining(_) => Some(Reason::NodeDraining),
        OperationsError::UnknownNode(_) => Some(Reason::NodeDeleted),
        // The request is repeated later: there is only no room now.
        OperationsError::NoAnswer(_)
        | OperationsError::Db(_)
        | OperationsError::Busy { .. }
        | OperationsError::TooMany(_) => {
            return Ok(());
        }
        _ => None,
    };
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let preferred = sandboxes.owners.preferences(scope, row.owner()).await?;
    match unreached(node_of(&row.node_id), reason, preferred.pinned) {
        Unreached::FallsBack(fallback) => fall_back(sandboxes, row, fallback).await,
        Unreached::NotMade => {
            let why = match error {
                // To the person it is away in the same way.
                OperationsError::HeldElsewhere(node) => OperationsError::NodeOffline(node),
                error => error,
            };
            let change = Change {
                detail: Some(why.to_string()),
                ..Change::default()
            };
            write(sandboxes, row, Fact::ProvisionFailed, change)
                .await
                .map(drop)
        }
    }
}

/// Moves a new sandbox from the wanted machine to the gateway's own host.
async fn fall_back(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    fallback: Fallback,
) -> Result<(), SandboxError> {
    let now = sandboxes.clock.now();
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let mut tx = sandboxes.db.write().await?;
    // What the wanted machine would have restored may not be here.
    let restore = restore::choose(&*tx, scope, row.owner_id, LOCAL, Some(row)).await?;
    let changed = container::Model {
        node_id: LOCAL.to_owned(),
        archive: restore.archive,
        detail: restore.detail,
        fallback: Some(serde_json::json!(dto::FallbackDto {
            wanted: fallback.wanted,
            reason: fallback.reason
        })),
        operation_id: Some(fresh(&sandboxes.ids)),
        version: row.version + 1,
        ..row.clone()
    };
    if store::replace(&*tx, &changed, row.version).await? {
        let placement = Placement {
            node: None,
            fallback: Some(fallback),
        };
        let mut facts = vec![Event::changed(
            ResourceKind::Sandbox,
            changed.id,
            changed.version,
        )];
        facts.extend(commands::fallback_event(row.owner(), placement));
        events::append(&mut tx, row.workspace_id, now, facts).await?;
        tx.commit().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn only_a_sandbox_that_may_be_elsewhere_falls_back() {
        let node = |n| NodeId(Uuid::from_u128(n));
        let falls = |reason| {
            let wanted = node(1);
            Unreached::FallsBack(Fallback { wanted, reason })
        };
        let away = Some(Reason::NodeOffline);
        let gone = Some(Reason::NodeDeleted);
        for (reason, pinned, wanted) in [
            (away, None, falls(Reason::NodeOffline)),
            (gone, None, falls(Reason::NodeDeleted)),
            // A mission that was pinned to another machine since.
            (away, Some(node(2)), falls(Reason::NodeOffline)),
            (away, Some(node(1)), Unreached::NotMade),
            (gone, Some(node(1)), Unreached::NotMade),
            (None, None, Unreached::NotMade),
        ] {
            assert_eq!(unreached(Some(node(1)), reason, pinned), wanted);
        }
        assert_eq!(unreached(None, away, None), Unreached::NotMade);
    }
}
