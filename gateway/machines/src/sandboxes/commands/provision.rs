//! Creating a sandbox: quota, row, audit and events in one transaction; then the request to the machine.

use std::time::Duration;

use roost_protocol::sandbox::Limits;
use sea_orm::{ConnectionTrait, DbErr};

use crate::fleet::operations::OperationsError;
use crate::fleet::{self, Availability};
use crate::images::{Chosen, Wanted};
use crate::sandboxes::dto::{FallbackDto, NewSandbox};
use crate::sandboxes::engine::name_of;
use crate::sandboxes::entity::container;
use crate::sandboxes::model::{Machine, Placement, Setting, State, place};
use crate::sandboxes::snapshots::restore::{self, Restore};
use crate::sandboxes::{
    Preferences, SandboxError, SandboxOwner, SandboxesHandle, Starter, owner as owners,
    placement_store, store, transition,
};
use roost_platform::events::{About, Event, PlacementFallback, ResourceKind};
use roost_platform::ids::{NodeId, SandboxId, UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{QuotaKind, quota};

/// How long a request waits for a machine; the work continues after it.
const WAIT: Duration = Duration::from_secs(120);

/// The result.
pub enum Provisioned {
    /// This request created it.
    Made(container::Model),
    /// The owner had one already.
    Present(container::Model),
}

/// As [`provision`], for a caller who may name the machine. A named machine must belong to the workspace. Without a name
/// the machine that the owner prefers is used, so that files for a run are where the run needs them. That
/// machine was checked when it was set; if it was removed since, placement falls back.
///
/// # Errors
/// [`SandboxError::NoMachine`], and those of [`provision`].
pub async fn provision_asked(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    owner: SandboxOwner,
    id: SandboxId,
    mut wanted: NewSandbox,
) -> Result<Provisioned, SandboxError> {
    // Each attempt costs the engine work and a row, even if the sandbox ends at once.
    let (now, starter) = (sandboxes.clock.monotonic(), Starter::Person(user));
    sandboxes.rates.take(scope.workspace(), starter, now)?;
    let db = sandboxes.db.read();
    match &wanted.node_id {
        Some(machine) if !has_machine(db, scope, machine).await? => {
            return Err(SandboxError::NoMachine);
        }
        Some(_) => {}
        None => wanted.node_id = sandboxes.owners.preferences(scope, owner).await?.machine,
    }
    let about = About::default();
    provision(sandboxes, scope, user, owner, id, wanted, about).await
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
        Some(Setting::Node(node)) => Ok(fleet::availability(db, scope, node).await?.is_some()),
    }
}

/// Gives the owner a sandbox and waits until it runs. An owner with a sandbox keeps it, and its machine. `about` is the run
/// that needs the sandbox. The image and each limit that the request does not name are those that the owner prefers.
///
/// # Errors
/// [`SandboxError::Quota`] at the plan's limit; [`SandboxError::Limits`] above a limit of the chosen machine;
/// [`SandboxError::Lacks`] when the machine does not have the chosen image;
/// [`OperationsError::NodeOffline`] when the machine left before it made the sandbox;
/// [`SandboxError::Refused`] when the machine could not create it.
pub async fn provision(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    owner: SandboxOwner,
    id: SandboxId,
    wanted: NewSandbox,
    about: About,
) -> Result<Provisioned, SandboxError> {
    let preferred = sandboxes.owners.preferences(scope, owner).await?;
    let wanted = (wanted, preferred);
    let (row, made) = begin(sandboxes, scope, user, owner, id, wanted, about).await?;
    transition::ensure_watch(sandboxes, &row).await?;
    let row = transition::wait_for_new(sandboxes, scope, &row, WAIT).await?;
    match State::parse(&row.state) {
        Some(State::Running) if made => Ok(Provisioned::Made(row)),
        Some(State::Running) => Ok(Provisioned::Present(row)),
        Some(State::Failed) => Err(transition::refusal(sandboxes, &row).await),
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
    owner: SandboxOwner,
    id: SandboxId,
    (wanted, preferred): (NewSandbox, Preferences),
    about: About,
) -> Result<(container::Model, bool), SandboxError> {
    let mut change = Change::begin(sandboxes, scope, user).await?;
    let name = owners::ready(sandboxes, &change, scope, owner).await?;
    let newest = store::newest(change.tx(), scope, owner.id()).await?;
    if let Some(present) = newest
        .as_ref()
        .filter(|row| State::parse(&row.state).is_some_and(State::live))
    {
        // A sandbox with the same id was created by this same request, before its gateway was killed.
        let wants_other_files = wanted.restore.is_some() || wanted.without_files;
        if wants_other_files && present.id != id {
            return Err(SandboxError::HasSandbox(owner.kind()));
        }
        return Ok((present.clone(), present.id == id));
    }
    // A sandbox that this request created and that never ran keeps its id and its history.
    let id = match store::get(change.tx(), scope, id).await? {
        None => id,
        Some(_) => fresh(&sandboxes.ids),
    };
    let chosen = wanted.node_id.as_deref().and_then(Setting::parse);
    let setting = match (preferred.pinned, chosen) {
        (Some(node), _) => Setting::Node(node),
        (None, Some(setting)) => setting,
        (None, None) => placement_store::placement(change.tx(), scope).await?.0,
    };
    let node = match setting {
        Setting::Local => None,
        Setting::Node(node) => {
            let availability = fleet::availability(change.tx(), scope, node).await?;
            // Only the gateway that holds the machine can send it the request; this gateway writes nothing for it.
            if let Some(availability) = &availability
                && availability.is_held_elsewhere(&sandboxes.settings.replica)
            {
                return Err(OperationsError::HeldElsewhere(node).into());
            }
            availability
        }
    };
    let placement = place(setting, node.as_ref().map(Machine::of));
    if let (Some(pinned), Some(_)) = (preferred.pinned, placement.fallback) {
        return Err(away(pinned, node.as_ref()));
    }
    let caps = match placement.node {
        Some(_) => node.as_ref().and_then(|node| node.caps),
        None => sandboxes.settings.local.caps(),
    };
    let image = image_of(sandboxes, &wanted, preferred.image, placement, node)?;
    let limits = wanted.limits.unwrap_or_default().or(preferred.limits);
    let limits = limits.on(caps.as_ref());
    let limits = limits.map_err(SandboxError::Limits)?;
    quota::take(
        &change,
        scope,
        &sandboxes.plans,
        QuotaKind::LiveContainers,
        1,
    )
    .await?;
    let machine = name_of(placement.node);
    let restore = match wanted.restore {
        None if wanted.without_files => Restore::default(),
        None => restore::choose(change.tx(), scope, owner.id(), &machine, newest.as_ref()).await?,
        Some(snapshot) => {
            let chosen = (wanted.restore_of.unwrap_or(owner.id()), snapshot);
            restore::chosen(change.tx(), scope, chosen, &machine).await?
        }
    };
    let row = new_row(
        sandboxes,
        scope,
        owner,
        id,
        (image, limits),
        newest.as_ref(),
        (placement, restore),
    );
    store::insert(change.tx(), row.clone()).await?;
    let details = serde_json::json!({
        "name": name, "sandbox": row.id, "node": row.node_id, "image": row.image, "restore": wanted.restore,
    });
    change.record(
        "sandbox.provisioned",
        (owner.kind().as_str(), &owner.id()),
        details,
    );
    let facts = [
        Event::changed(ResourceKind::Sandbox, row.id, row.version),
        Event::changed(ResourceKind::Quota, scope.workspace(), row.version),
    ];
    let facts = facts.into_iter().chain(fallback_event(owner, placement));
    change.events(facts.map(|fact| fact.about(about)));
    change.commit().await?;
    Ok((row, true))
}

/// The error about a machine that is the only one for a sandbox and cannot take it now.
fn away(pinned: NodeId, known: Option<&Availability>) -> SandboxError {
    match known {
        None => SandboxError::NoMachine,
        Some(known) if known.draining => OperationsError::NodeDraining(pinned).into(),
        Some(_) => OperationsError::NodeOffline(pinned).into(),
    }
}

/// The image of the request, else the preferred one. An image of the catalogue that the machine is known to lack is refused
/// before anything is written. What a machine has of the deployment's default image, and of a reference that is not in the
/// catalogue, the machine itself decides.
fn image_of(
    sandboxes: &SandboxesHandle,
    wanted: &NewSandbox,
    preferred: Option<String>,
    placement: Placement,
    node: Option<Availability>,
) -> Result<Chosen, SandboxError> {
    let catalogue = sandboxes.images();
    let of_request = wanted.image.as_deref();
    let name = match of_request {
        Some(asked) => catalogue.named(asked).map(|entry| entry.name.as_str()),
        None => preferred.as_deref(),
    };
    if name.is_some() {
        let here = sandboxes.here_on(placement, node);
        let wanted = Wanted {
            image: name,
            needs: &[],
        };
        if let Some(lack) = sandboxes.lacks(wanted, &here).pop() {
            return Err(SandboxError::Lacks(lack));
        }
    }
    Ok(catalogue.choose(of_request.or(name)))
}

/// The event that explains why a sandbox is not on the wanted machine.
pub(in crate::sandboxes) fn fallback_event(
    owner: SandboxOwner,
    placement: Placement,
) -> Option<Event> {
    placement.fallback.map(|fallback| {
        Event::PlacementFallback(PlacementFallback {
            agent_id: owner.agent(),
            team_id: owner.team(),
            wanted: fallback.wanted.to_string(),
            reason: fallback.reason.as_str().to_owned(),
        })
    })
}

fn new_row(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: SandboxId,
    (image, limits): (Chosen, Limits),
    before: Option<&container::Model>,
    (placement, restore): (Placement, Restore),
) -> container::Model {
    let now = sandboxes.clock.now();
    container::Model {
        id,
        workspace_id: scope.workspace(),
        owner_kind: owner.kind(),
        owner_id: owner.id(),
        node_id: name_of(placement.node),
        container: None,
        epoch: before.map_or(0, |row| row.epoch) + 1,
        state: State::Provisioning.as_str().to_owned(),
        operation_id: Some(fresh(&sandboxes.ids)),
        image: image.reference,
        image_digest: image.digest,
        limits: serde_json::json!(limits),
        fallback: placement.fallback.map(|fallback| {
            serde_json::json!(FallbackDto {
                wanted: fallback.wanted,
                reason: fallback.reason
            })
        }),
        detail: restore.detail,
        archive: restore.archive,
        restored: None,
        snapshot_problem: None,
        drain: None,
        hardening: None,
        created_at: now,
        last_used_at: now,
        ended_at: None,
        version: 1,
    }
}
