//! What the engine is asked in a state, and what its answer means. Pure.

use chrono::{DateTime, Utc};
use roost_protocol::ids as wire;
use roost_protocol::limits::SANDBOX_LEASE_S;
use roost_protocol::operation::{Destroy, Operation, OperationRequest, Provision};
use roost_protocol::report::{Ended, ErrorKind, Outcome, Terminal};
use roost_protocol::sandbox::{SandboxSpec, WorkspaceState};
use roost_protocol::text;

use super::write::Change;
use crate::sandboxes::engine::{node_of, on_behalf};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::{Fact, State};
use crate::sandboxes::snapshots::{Origin, RestoredFrom};
use crate::sandboxes::{dto, store};

/// Whether an engine has been asked for something, and its answer is due.
pub(super) fn is_transition(row: &container::Model) -> bool {
    matches!(
        State::parse(&row.state),
        Some(State::Provisioning | State::Destroying)
    )
}

/// The request to the machine in this state; `None` when no transition is under way. The files of a removed owner are
/// not stored.
pub(super) fn request_of(row: &container::Model, removed: bool) -> Option<OperationRequest> {
    let sandbox = wire::SandboxId(row.id.0);
    let operation = match State::parse(&row.state)? {
        State::Provisioning => Operation::SbProvision(Provision {
            spec: SandboxSpec {
                sandbox,
                workspace: wire::WorkspaceId(row.workspace_id.0),
                agent: wire::AgentId(row.owner_id.0),
                node: node_of(&row.node_id).map(|node| wire::NodeId(node.0)),
                epoch: u64::try_from(row.epoch).unwrap_or(0),
                image: row.image.clone(),
                image_digest: row.image_digest.clone(),
                limits: serde_json::from_value(row.limits.clone()).unwrap_or_default(),
                env: std::collections::BTreeMap::new(),
                lease_s: SANDBOX_LEASE_S,
            },
            restore: store::digest_of(row.archive.as_ref()),
        }),
        State::Destroying => Operation::SbDestroy(Destroy {
            sandbox,
            archive: !removed,
        }),
        _ => return None,
    };
    Some(OperationRequest {
        purpose: None,
        id: wire::OperationId(row.operation_id?.0),
        on_behalf: Some(on_behalf(row)),
        operation,
    })
}

/// What the engine's answer means for the row.
#[derive(Debug)]
pub(super) enum Answer {
    /// This happened.
    Fact(Fact, Change),
    /// The engine could not end the sandbox: the request is repeated with a new operation.
    Repeat,
    /// The row is in no transition: there was no request.
    Nothing,
}

/// Reads the end of the row's operation. `at` is the present time, for the stored workspace.
pub(super) fn answer_of(row: &container::Model, ended: &Ended, at: DateTime<Utc>) -> Answer {
    match (State::parse(&row.state), &ended.outcome) {
        (_, _) if ended.state == Terminal::Lost => {
            Answer::Fact(Fact::MachineLost, Change::default())
        }
        (Some(State::Provisioning), Outcome::Provisioned { sandbox, workspace }) => {
            let detail = match workspace {
                WorkspaceState::ArchiveMissing { .. } => Some(
                    "the stored workspace is no longer on the machine; it began empty".to_owned(),
                ),
                // Why these are not the newest files, if they are not.
                _ => row.detail.clone(),
            };
            let change = Change {
                container: Some(text::clean(&sandbox.container, 128)),
                detail,
                restored: restored(row, workspace),
                ..Change::default()
            };
            Answer::Fact(Fact::Provisioned, change)
        }
        (Some(State::Provisioning), outcome) => {
            let change = Change {
                detail: Some(failure(outcome)),
                operation: row.operation_id,
                ..Change::default()
            };
            Answer::Fact(Fact::ProvisionFailed, change)
        }
        (Some(State::Destroying), Outcome::Destroyed { archive }) => {
            let archive = archive.as_ref().map(|archive| {
                serde_json::json!(dto::WorkspaceArchive {
                    digest: archive.digest.clone(),
                    bytes: archive.bytes,
                    at,
                })
            });
            let change = Change {
                archive,
                ..Change::default()
            };
            Answer::Fact(Fact::Removed, change)
        }
        (Some(State::Destroying), Outcome::Error { error })
            if error.kind == ErrorKind::NoSandbox =>
        {
            Answer::Fact(Fact::Removed, Change::default())
        }
        (Some(State::Destroying), _) => Answer::Repeat,
        // In the other states there is no operation: `request_of` returned none.
        _ => Answer::Nothing,
    }
}

/// What the machine restored, if that is what it was asked for.
fn restored(row: &container::Model, workspace: &WorkspaceState) -> Option<serde_json::Value> {
    let WorkspaceState::Restored { digest } = workspace else {
        return None;
    };
    let origin = Origin::of_column(row.archive.as_ref())?;
    (origin.digest == *digest).then(|| {
        serde_json::json!(RestoredFrom {
            digest: origin.digest,
            taken_at: origin.at,
        })
    })
}

fn failure(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error { error } => {
            text::clean(&error.detail, roost_protocol::limits::MAX_DETAIL_TEXT)
        }
        _ => "the machine's answer does not match the request".to_owned(),
    }
}
