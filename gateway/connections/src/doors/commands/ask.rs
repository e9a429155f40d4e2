//! An agent requests an action.

use chrono::TimeDelta;
use serde_json::Value;

use crate::checkouts::{self, Offer, StepPlace};
use crate::doors::catalogue::{self, Action, Plan, Work};
use crate::doors::entity::Model;
use crate::doors::model::DoorState;
use crate::doors::{DoorError, DoorsContext, store};
use roost_agents::claws;
use roost_platform::events::{DoorRequest, Event, ResourceKind};
use roost_platform::ids::{ClawId, DoorId, RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{self, PushPolicy};

/// How long a person has to decide; then the door expires, and nothing is sent.
const OPEN: TimeDelta = TimeDelta::hours(24);
/// The most doors of a workspace that may wait.
const MOST_PENDING: u64 = 500;
/// The most doors that an agent may request in one minute.
const MOST_A_MINUTE: u64 = 120;
/// Longest text of a line, in bytes.
const LINE: usize = 300;
/// Longest text that shows what led to the request, in bytes.
const WORDS: usize = 4_000;

/// A request.
#[derive(Debug)]
pub struct Asked {
    pub agent: ClawId,
    /// The name of an action of the catalogue.
    pub action: String,
    pub params: Value,
    /// The call of a run that requests it.
    pub place: Option<Place>,
}

/// The call of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub run: RunId,
    /// Such as `coder#1`.
    pub step: String,
    /// The index of the call in the step.
    pub call: u32,
    /// What the agent said with its request.
    pub words: String,
    /// The step's place in the tree of runs, and its sandbox.
    pub at: StepPlace,
}

/// Requests an action. Nothing is sent before a person has approved. A repeat with the same id returns the existing
/// door.
///
/// # Errors
/// See [`DoorError`].
pub async fn ask(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: DoorId,
    asked: Asked,
) -> Result<Model, DoorError> {
    if let Some(present) = store::get(doors.db.read(), scope, id).await? {
        return Ok(present);
    }
    let row = row(doors, scope, user, id, asked).await?;
    let waits = row.state == DoorState::Pending.as_str();
    let mut change = Change::begin(doors, scope, user).await?;
    if let Some(run) = row.run_id {
        // The lock orders this request before or after the end of the run, and one call before its repeat.
        if !doors.runs.lock(&change, run).await? {
            return Err(DoorError::RunIsOver);
        }
        if let Some(present) = store::get(change.tx(), scope, id).await? {
            return Ok(present);
        }
    }
    if !claws::lock_living(change.tx(), scope, row.agent_id).await? {
        return Err(DoorError::NoClaw);
    }
    let since = row.created_at - TimeDelta::minutes(1);
    if store::count_since(change.tx(), scope, row.agent_id, since).await? >= MOST_A_MINUTE {
        return Err(DoorError::TooFast {
            most: MOST_A_MINUTE,
        });
    }
    if store::count_pending(change.tx(), scope).await? >= MOST_PENDING {
        return Err(DoorError::TooMany { most: MOST_PENDING });
    }
    store::insert(change.tx(), row.clone()).await?;
    let details = serde_json::json!({
        "action": row.action, "target": row.target, "agent_id": row.agent_id, "agent": row.agent_name, "run": row.run_id,
        "allowed": !waits,
    });
    change.record("door.requested", ("door", &id), details);
    match waits {
        true => change.event(Event::DoorRequest(DoorRequest {
            door_id: id,
            agent_id: row.agent_id,
            action: row.action.clone(),
            target: Some(row.target.clone()),
            summary: Some(row.summary.clone()),
        })),
        false => change.wake(&doors.approvals),
    }
    change.event(Event::changed(ResourceKind::Door, id, 1));
    change.commit().await?;
    Ok(row)
}

/// The row of a valid request.
async fn row(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: DoorId,
    asked: Asked,
) -> Result<Model, DoorError> {
    let claw = claws::find(doors.db.read(), scope, asked.agent).await?;
    let claw = claw
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(DoorError::NoClaw)?;
    let action = catalogue::action(&asked.action).ok_or(DoorError::NoAction)?;
    let plan = action.plan(&asked.params).map_err(DoorError::BadParams)?;
    // The error comes now, while the agent can still react, and not after a person has decided.
    let Sent {
        target,
        summary,
        address,
        branch,
        packages,
        allowed,
    } = sent(doors, scope, claw.id, action, plan, asked.place.as_ref()).await?;
    let now = doors.clock.now();
    let place = asked.place;
    let state = match allowed {
        true => DoorState::Approved,
        false => DoorState::Pending,
    };
    Ok(Model {
        id,
        workspace_id: scope.workspace(),
        agent_id: claw.id,
        agent_name: claw.name,
        action: action.name.to_owned(),
        target: roost_protocol::text::clean(&target, LINE),
        summary: roost_protocol::text::clean(&summary, LINE),
        address,
        params: asked.params,
        state: state.as_str().to_owned(),
        requested_by: user,
        created_at: now,
        expires_at: now + OPEN,
        decided_by: None,
        decided_at: allowed.then_some(now),
        begun_at: None,
        ended_at: None,
        result_status: None,
        result_url: None,
        result_message: None,
        run_id: place.as_ref().map(|place| place.run),
        step: place.as_ref().map(|place| place.step.clone()),
        call: place
            .as_ref()
            .map(|place| i32::try_from(place.call).unwrap_or(i32::MAX)),
        words: place
            .map(|place| roost_protocol::text::clean(&place.words, WORDS))
            .filter(|words| !words.is_empty()),
        sending_at: None,
        branch,
        packages,
    })
}

/// What would be sent, and where.
struct Sent {
    target: String,
    summary: String,
    address: String,
    /// The branch of the run's repository, as JSON.
    branch: Option<String>,
    /// The packages of the run's lock file, as JSON.
    packages: Option<String>,
    /// The workspace allows it without a decision.
    allowed: bool,
}

async fn sent(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    agent: ClawId,
    action: &Action,
    plan: Plan,
    place: Option<&Place>,
) -> Result<Sent, DoorError> {
    let of_run = || place.ok_or(DoorError::NoRun(action.name));
    match plan.work {
        Work::App(outgoing) => {
            let address = doors
                .apps
                .address(scope, agent, action.provider, &outgoing)
                .await?
                .ok_or(DoorError::NotConnected(action.provider))?;
            Ok(Sent {
                target: plan.target,
                summary: plan.summary,
                address: address.into(),
                branch: None,
                packages: None,
                allowed: false,
            })
        }
        Work::PushBranch => {
            let place = of_run()?;
            let offer = checkouts::offer_push(&doors.checkouts, place.at, &place.step).await?;
            let summary = format!(
                "Push {} of the branch {} to {}",
                counted(offer.branch.commits, "commit"),
                offer.branch.branch,
                offer.branch.repository
            );
            // Only branches below `roost/` are pushed, and never over other commits, so a workspace may allow it.
            let policy = workspaces::push_policy(doors.db.read(), scope).await?;
            Ok(of_branch(offer, summary, policy == PushPolicy::Allow))
        }
        Work::OpenPull(words) => {
            let place = of_run()?;
            let offer = checkouts::offer_pull(&doors.checkouts, place.at, &place.step).await?;
            let summary = format!(
                "Open the pull request “{}” from {} into {}",
                words.title,
                offer.branch.branch,
                offer.branch.into.as_deref().unwrap_or_default()
            );
            Ok(of_branch(offer, summary, false))
        }
        Work::AddPackages { path } => {
            let at = of_run()?.at;
            let offer = checkouts::offer_packages(&doors.checkouts, at, &path).await?;
            let packages = &offer.packages;
            let mut parts = vec![format!(
                "add {}",
                counted(packages.added.len() as u64, "package")
            )];
            if !packages.changed.is_empty() {
                parts.push(format!("change {}", packages.changed.len()));
            }
            // The registry may have any package, so a person always decides.
            Ok(Sent {
                target: packages.path.clone(),
                summary: format!("From {}, {}", packages.path, parts.join(" and ")),
                address: offer.registry,
                branch: None,
                packages: serde_json::to_string(packages).ok(),
                allowed: false,
            })
        }
    }
}

fn of_branch(offer: Offer, summary: String, allowed: bool) -> Sent {
    Sent {
        target: offer.branch.repository.clone(),
        summary,
        address: offer.address,
        branch: serde_json::to_string(&offer.branch).ok(),
        packages: None,
        allowed,
    }
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
