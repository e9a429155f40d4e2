//! Making a sandbox: quota, row, audit and events in one transaction; then the machine is asked.

use std::time::Duration;

use roost_protocol::sandbox::Limits;
use sea_orm::{ConnectionTrait, DbErr};

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::domains::fleet;
use crate::domains::sandboxes::dto::{FallbackDto, NewSandbox};
use crate::domains::sandboxes::entity::container;
use crate::domains::sandboxes::model::{Machine, Placement, Setting, State, place};
use crate::domains::sandboxes::reading::LOCAL;
use crate::domains::sandboxes::{SandboxError, SandboxesHandle, settle, store};
use crate::domains::teams;
use crate::domains::workspaces::{QuotaKind, quota};
use crate::events::{self, Event, PlacementFallback, ResourceKind};
use crate::ids::{ClawId, SandboxId, UserId, fresh};
use crate::operations::OperationsError;

/// How long a request waits for a machine; the work goes on after it.
const WAIT: Duration = Duration::from_secs(120);

/// What came of it.
pub enum Provisioned {
    /// It was made by this request.
    Made(container::Model),
    /// The agent had one already.
    Present(container::Model),
}

/// As [`provision`], for somebody who may name the machine: it must be one of the workspace's. Without a name it is that of the
/// agent's team, so that what is put into the sandbox before a run is where the run looks for it. Where the name was checked when
/// it was given, as a team's was, a machine that went since is one of the reasons to fall back.
///
/// # Errors
/// [`SandboxError::NoMachine`], and those of [`provision`].
pub async fn provision_asked(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: SandboxId,
    mut wanted: NewSandbox,
) -> Result<Provisioned, SandboxError> {
    let db = sandboxes.db.read();
    match &wanted.node_id {
        Some(machine) if !has_machine(db, scope, machine).await? => {
            return Err(SandboxError::NoMachine);
        }
        Some(_) => {}
        None => wanted.node_id = teams::standing(db, scope, agent, None).await?.machine,
    }
    provision(sandboxes, scope, user, agent, id, wanted).await
}

/// Whether the workspace has the machine: `local`, or a node by its id.
///
/// # Errors
/// When the database fails.
pub async fn has_machine(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    machine: &str,
) -> Result<bool, DbErr> {
    match Setting::parse(machine) {
        None => Ok(false),
        Some(Setting::Local) => Ok(true),
        Some(Setting::Node(node)) => Ok(fleet::standing(db, scope, node).await?.is_some()),
    }
}

/// Gives the agent a sandbox and waits until it runs. An agent that has one keeps it, with its machine.
///
/// # Errors
/// [`SandboxError::Quota`] at the plan's limit; [`SandboxError::Refused`] when the machine could not make it.
pub async fn provision(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: SandboxId,
    wanted: NewSandbox,
) -> Result<Provisioned, SandboxError> {
    let (row, made) = begin(sandboxes, scope, user, agent, id, wanted).await?;
    settle::ensure_watch(sandboxes, &row).await?;
    let row = settle::settled(sandboxes, scope, row.id, WAIT).await?;
    match State::parse(&row.state) {
        Some(State::Running) if made => Ok(Provisioned::Made(row)),
        Some(State::Running) => Ok(Provisioned::Present(row)),
        Some(State::Failed) => Err(settle::refusal(sandboxes, &row).await),
        Some(State::Lost) => Err(SandboxError::Lost),
        Some(State::Provisioning) => Err(SandboxError::TooSlow),
        other => Err(SandboxError::NotRunning(
            other.map_or("in an unknown state", State::as_str),
        )),
    }
}

async fn begin(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: SandboxId,
    wanted: NewSandbox,
) -> Result<(container::Model, bool), SandboxError> {
    let now = sandboxes.clock.now();
    let mut tx = sandboxes.db.write().await?;
    let claw = claws::store::get(&*tx, scope, agent)
        .await?
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(SandboxError::NoClaw)?;
    let newest = store::newest(&*tx, scope, agent).await?;
    if let Some(present) = newest
        .as_ref()
        .filter(|row| State::parse(&row.state).is_some_and(State::live))
    {
        // One of the same id was made by this very request, before its gateway was killed.
        return Ok((present.clone(), present.id == id));
    }
    // One that this request made and that did not come to run keeps its id and its history.
    let id = match store::get(&*tx, scope, id).await? {
        None => id,
        Some(_) => fresh(&sandboxes.ids),
    };
    quota::take(&tx, scope, &sandboxes.plans, QuotaKind::LiveContainers).await?;
    let chosen = wanted.node_id.as_deref().and_then(Setting::parse);
    let setting = match chosen {
        Some(setting) => setting,
        None => store::placement(&*tx, scope).await?.0,
    };
    let machine = match setting {
        Setting::Local => None,
        Setting::Node(node) => {
            let standing = fleet::standing(&*tx, scope, node).await?;
            // Only the gateway that holds the machine can ask it; nothing is written for it here.
            if let Some(standing) = &standing
                && standing.is_held_elsewhere(&sandboxes.settings.replica)
            {
                return Err(OperationsError::HeldElsewhere(node).into());
            }
            standing.map(|standing| Machine {
                connected: standing.connected,
                draining: standing.draining,
                paused: standing.paused,
            })
        }
    };
    let placement = place(setting, machine);
    let row = new_row(
        sandboxes,
        scope,
        agent,
        id,
        wanted,
        newest.as_ref(),
        placement,
    );
    store::insert(&*tx, row.clone()).await?;
    let details = serde_json::json!({
        "name": claw.name, "sandbox": row.id, "node": row.node_id, "image": row.image,
    });
    audit::record(
        &tx,
        &sandboxes.ids,
        now,
        scope,
        user,
        "sandbox.provisioned",
        ("claw", &agent),
        details,
    )
    .await?;
    let mut facts = vec![
        Event::changed(ResourceKind::Sandbox, row.id, row.version),
        Event::changed(ResourceKind::Quota, scope.workspace(), row.version),
    ];
    facts.extend(fallback_event(agent, placement));
    events::append(&mut tx, scope.workspace(), now, facts).await?;
    tx.commit().await?;
    Ok((row, true))
}

/// The event that says why a sandbox is not where it was wanted.
pub(in crate::domains::sandboxes) fn fallback_event(
    agent: ClawId,
    placement: Placement,
) -> Option<Event> {
    placement.fallback.map(|fallback| {
        Event::PlacementFallback(PlacementFallback {
            agent_id: agent,
            wanted: fallback.wanted.to_string(),
            reason: fallback.reason.as_str().to_owned(),
        })
    })
}

fn new_row(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: SandboxId,
    wanted: NewSandbox,
    before: Option<&container::Model>,
    placement: Placement,
) -> container::Model {
    let now = sandboxes.clock.now();
    let limits: Limits = wanted.limits.unwrap_or_default().into();
    let machine = placement
        .node
        .map_or_else(|| LOCAL.to_owned(), |node| node.to_string());
    // An archive lies where the last sandbox was; elsewhere the workspace begins empty.
    let archive = before
        .filter(|row| row.node_id == machine)
        .and_then(|row| row.archive.clone());
    container::Model {
        id,
        workspace_id: scope.workspace(),
        agent_id: agent,
        node_id: machine,
        container: None,
        epoch: before.map_or(0, |row| row.epoch) + 1,
        state: State::Provisioning.as_str().to_owned(),
        operation_id: Some(fresh(&sandboxes.ids)),
        image: wanted
            .image
            .unwrap_or_else(|| sandboxes.settings.image.clone()),
        limits: serde_json::json!(limits),
        fallback: placement.fallback.map(|fallback| {
            serde_json::json!(FallbackDto {
                wanted: fallback.wanted,
                reason: fallback.reason
            })
        }),
        detail: None,
        archive,
        hardening: None,
        created_at: now,
        last_used_at: now,
        ended_at: None,
        version: 1,
    }
}
