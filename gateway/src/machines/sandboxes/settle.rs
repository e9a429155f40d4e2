//! Carries a transition to its end: sends the request, waits, and writes the answer. A job does this, and starts again
//! after a crash. Every write is conditional on the row's version, so a repetition has no second effect.

use std::time::Duration;

use super::entity::container;
use super::model::{Fact, Fallback, Placement, Reason, State, after, quota_step};
use super::reading::{LOCAL, node_of, on_behalf};
use super::{SandboxError, SandboxesHandle, agent_status, commands, dto, hardening, store};
use crate::agents::claws;
use crate::machines::operations::{OperationsError, Target};
use crate::platform::db::WriteTx;
use crate::platform::events::{self, AgentState, Event, ResourceKind, Stamped};
use crate::platform::ids::{OperationId, SandboxId, fresh};
use crate::platform::sagas;
use crate::platform::supervision::{StartError, Tenant};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::workspaces::{QuotaKind, quota};
use roost_protocol::ids as wire;
use roost_protocol::limits::SANDBOX_LEASE_S;
use roost_protocol::operation::{Destroy, Operation, OperationRequest, Provision};
use roost_protocol::report::{Ended, ErrorKind, OperationError, Outcome, Terminal};
use roost_protocol::sandbox::{SandboxSpec, WorkspaceState};
use roost_protocol::text;

/// Waits between two attempts to reach a machine that does not answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How long a chosen machine may be away before the sandbox goes to another place. After a restart of the gateway all
/// machines are away for a moment.
const MACHINE_RETURNS: Duration = Duration::from_secs(15);

/// The changes besides the state.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub operation: Option<OperationId>,
    pub container: Option<String>,
    pub detail: Option<String>,
    pub archive: Option<serde_json::Value>,
}

/// The engine of the row's sandbox.
pub(super) fn target_of(row: &container::Model) -> Target {
    node_of(&row.node_id).map_or(Target::Local, Target::Node)
}

/// Writes a fact: the new state, the quota, the agent's status and the events. `None` when it changes nothing.
pub(super) async fn step(
    tx: &mut WriteTx,
    sandboxes: &SandboxesHandle,
    row: container::Model,
    fact: Fact,
    change: Change,
) -> Result<Option<container::Model>, SandboxError> {
    let Some(from) = State::parse(&row.state) else {
        return Ok(None);
    };
    let Some(to) = after(from, fact) else {
        return Ok(None);
    };
    let now = sandboxes.clock.now();
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let version = row.version;
    let changed = container::Model {
        state: to.as_str().to_owned(),
        operation_id: change.operation,
        container: change.container.or(row.container),
        detail: change.detail,
        archive: change.archive.or(row.archive),
        ended_at: if to.live() {
            None
        } else {
            row.ended_at.or(Some(now))
        },
        version: version + 1,
        ..row
    };
    if !store::replace(&**tx, &changed, version).await? {
        return Ok(None);
    }
    let mut facts = vec![Event::changed(
        ResourceKind::Sandbox,
        changed.id,
        changed.version,
    )];
    match quota_step(Some(from), to) {
        0 => {}
        step => {
            if step > 0 {
                quota::take(tx, scope, &sandboxes.plans, QuotaKind::LiveContainers, 1).await?;
            } else {
                quota::give_back(tx, scope, QuotaKind::LiveContainers).await?;
            }
            facts.push(Event::changed(
                ResourceKind::Quota,
                scope.workspace(),
                changed.version,
            ));
        }
    }
    let mut facts: Vec<Stamped> = facts.into_iter().map(Into::into).collect();
    let status = if to == State::Running {
        AgentState::Online
    } else {
        AgentState::Offline
    };
    if to != State::Provisioning {
        let status = agent_status::status_of(sandboxes, tx, changed.agent_id, status).await?;
        // Locks the agent before the log, as the end of a run does: a different order could deadlock.
        facts.extend(claws::status::change(tx, scope, changed.agent_id, status, now).await?);
    }
    events::append(tx, scope.workspace(), now, facts).await?;
    Ok(Some(changed))
}

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
        let purge = sagas::Kind::ClawPurge;
        let purged = sagas::is_running(sandboxes.db.read(), scope, purge, row.agent_id.0).await?;
        let Some(request) = request_of(&row, purged) else {
            return Ok(());
        };
        let id = OperationId(request.id.uuid());
        let asked = match sandboxes.operations.submit(target_of(&row), request).await {
            Ok(_) => sandboxes.operations.wait(id).await,
            Err(error) => Err(error),
        };
        match asked {
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
                if !may_still_come(sandboxes, &row, &error, waited).await? {
                    not_taken(sandboxes, &row, error).await?;
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

fn is_transition(row: &container::Model) -> bool {
    matches!(
        State::parse(&row.state),
        Some(State::Provisioning | State::Destroying)
    )
}

/// The request to the machine in this state; `None` when no transition is under way. The workspace of a purged agent is
/// not stored.
fn request_of(row: &container::Model, purged: bool) -> Option<OperationRequest> {
    let sandbox = wire::SandboxId(row.id.0);
    let operation = match State::parse(&row.state)? {
        State::Provisioning => Operation::SbProvision(Provision {
            spec: SandboxSpec {
                sandbox,
                workspace: wire::WorkspaceId(row.workspace_id.0),
                agent: wire::AgentId(row.agent_id.0),
                node: node_of(&row.node_id).map(|node| wire::NodeId(node.0)),
                epoch: u64::try_from(row.epoch).unwrap_or(0),
                image: row.image.clone(),
                image_digest: None,
                limits: serde_json::from_value(row.limits.clone()).unwrap_or_default(),
                env: std::collections::BTreeMap::new(),
                lease_s: SANDBOX_LEASE_S,
            },
            restore: store::digest_of(row.archive.as_ref()),
        }),
        State::Destroying => Operation::SbDestroy(Destroy {
            sandbox,
            archive: !purged,
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

/// Whether the machine may only be away for a moment: it has the request and still has to answer, or it had no time yet
/// to come back.
async fn may_still_come(
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
        Some(id) => sandboxes.operations.standing(scope, id).await?.is_some(),
        None => false,
    };
    Ok(asked || waited < MACHINE_RETURNS)
}

/// The machine did not accept the request. A new sandbox goes to the gateway's own host instead, as specified. The
/// request to end a sandbox is repeated later.
async fn not_taken(
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
    match (reason, node_of(&row.node_id)) {
        (Some(reason), Some(wanted)) => {
            fall_back(sandboxes, row, Fallback { wanted, reason }).await
        }
        _ => {
            let change = Change {
                detail: Some(error.to_string()),
                ..Change::default()
            };
            write(sandboxes, row, Fact::ProvisionFailed, change)
                .await
                .map(drop)
        }
    }
}

async fn fall_back(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    fallback: Fallback,
) -> Result<(), SandboxError> {
    let now = sandboxes.clock.now();
    let mut tx = sandboxes.db.write().await?;
    let changed = container::Model {
        node_id: LOCAL.to_owned(),
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
        facts.extend(commands::fallback_event(row.agent_id, placement));
        events::append(&mut tx, row.workspace_id, now, facts).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn write(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    fact: Fact,
    change: Change,
) -> Result<Option<container::Model>, SandboxError> {
    let mut tx = sandboxes.db.write().await?;
    let written = step(&mut tx, sandboxes, row.clone(), fact, change).await?;
    if written.is_some() {
        tx.commit().await?;
    }
    Ok(written)
}

/// Writes the result of the operation. `None` when the request must be repeated.
async fn finish(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    ended: &Ended,
) -> Result<Option<container::Model>, SandboxError> {
    let (fact, change) = match (State::parse(&row.state), &ended.outcome) {
        (_, _) if ended.state == Terminal::Lost => (Fact::MachineLost, Change::default()),
        (Some(State::Provisioning), Outcome::Provisioned { sandbox, workspace }) => {
            let detail = match workspace {
                WorkspaceState::ArchiveMissing { .. } => Some(
                    "the stored workspace is no longer on the machine; it began empty".to_owned(),
                ),
                _ => None,
            };
            let container = Some(text::clean(&sandbox.container, 128));
            (
                Fact::Provisioned,
                Change {
                    container,
                    detail,
                    ..Change::default()
                },
            )
        }
        (Some(State::Provisioning), outcome) => {
            let change = Change {
                detail: Some(said(outcome)),
                operation: row.operation_id,
                ..Change::default()
            };
            (Fact::ProvisionFailed, change)
        }
        (Some(State::Destroying), Outcome::Destroyed { archive }) => {
            let at = sandboxes.clock.now();
            let archive = archive.as_ref().map(|a| {
                serde_json::json!(dto::WorkspaceArchive {
                    digest: a.digest.clone(),
                    bytes: a.bytes,
                    at
                })
            });
            (
                Fact::Removed,
                Change {
                    archive,
                    ..Change::default()
                },
            )
        }
        (Some(State::Destroying), Outcome::Error { error })
            if error.kind == ErrorKind::NoSandbox =>
        {
            (Fact::Removed, Change::default())
        }
        (Some(State::Destroying), _) => {
            ask_again(sandboxes, row).await?;
            return Ok(None);
        }
        // In the other states there is no operation: `request_of` returned none.
        _ => return Ok(None),
    };
    write(sandboxes, row, fact, change).await
}

/// If the machine could not end the sandbox, the next attempt needs a new operation: the old id would get the old answer.
async fn ask_again(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<(), SandboxError> {
    let tx = sandboxes.db.write().await?;
    let again = container::Model {
        operation_id: Some(fresh(&sandboxes.ids)),
        version: row.version + 1,
        ..row.clone()
    };
    if store::replace(&*tx, &again, row.version).await? {
        tx.commit().await?;
    }
    Ok(())
}

fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error { error } => {
            text::clean(&error.detail, roost_protocol::limits::MAX_DETAIL_TEXT)
        }
        _ => "the machine answered something else than was asked".to_owned(),
    }
}

/// Waits until the row has left its transition, or until the time is up, and returns it.
pub(super) async fn settled(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    id: SandboxId,
    within: Duration,
) -> Result<container::Model, SandboxError> {
    let until = sandboxes.clock.monotonic() + within;
    // The hub reports each change of the row. The watch begins before the first read, so no change is missed.
    let changes = sandboxes.db.hub().watch(scope.workspace());
    loop {
        let row = store::get(sandboxes.db.read(), scope, id)
            .await?
            .ok_or(SandboxError::NoSandbox)?;
        let left = until.saturating_duration_since(sandboxes.clock.monotonic());
        if !is_transition(&row) || left.is_zero() {
            return Ok(row);
        }
        // Another gateway may make the change: read the row at least every second.
        let _ = tokio::time::timeout(left.min(Duration::from_secs(1)), changes.changed()).await;
    }
}

/// Why a sandbox failed, as one of the machine's error kinds.
pub(super) async fn refusal(sandboxes: &SandboxesHandle, row: &container::Model) -> SandboxError {
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
    // No machine got the request. If the sandbox was wanted elsewhere, that machine may be back the next time.
    let kind = match row.fallback {
        Some(_) => ErrorKind::EngineUnavailable,
        None => ErrorKind::Internal,
    };
    SandboxError::Refused(OperationError::new(kind, detail))
}
