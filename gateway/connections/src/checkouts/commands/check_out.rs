//! Brings the repository of a run into a sandbox, before an agent works there.

use std::time::Duration;

use roost_secret_broker::wire::GitBundle;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::supply::supply;
use crate::checkouts::entity::{bound, checkout};
use crate::checkouts::guest::{self, Program, Target};
use crate::checkouts::model::{self, CheckedOut};
use crate::checkouts::source::{self, Source};
use crate::checkouts::{CheckoutError, CheckoutsContext, store};
use crate::repos::MirrorStanding;
use roost_machines::sandboxes::{self, SandboxError, SandboxOwner};
use roost_platform::events::{About, Event, ResourceKind};
use roost_platform::ids::{RunId, SandboxId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How long a step waits here for a mirror. After it, the step waits as for an absent machine.
const PATIENCE: Duration = Duration::from_secs(20);
const CHECK_EVERY: Duration = Duration::from_millis(200);
/// Most bytes of the answer.
const ANSWER: usize = 16 << 10;

/// A step of a run, and the sandbox that it works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepPlace {
    pub scope: WorkspaceScope,
    /// The first run of the tree.
    pub root: RunId,
    /// The run that has the step.
    pub run: RunId,
    /// The owner of the sandbox that the step works in.
    pub sandbox_of: SandboxOwner,
    pub about: About,
}

/// A checkout in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub full_name: String,
    pub path: String,
    pub branch: String,
    /// What the lock files brought, for the agent. Empty when there are none.
    pub supplies: Vec<String>,
}

/// The checkout of the run in the present sandbox of the step; makes it when it is missing. `None` when the run works on
/// no repository. A repeat changes nothing. `begins`: the step begins, so packages that did not arrive are tried again.
///
/// # Errors
/// See [`CheckoutError`]. [`SandboxError::NoSandbox`] when there is no sandbox.
pub async fn checkout(
    state: &CheckoutsContext,
    at: StepPlace,
    begins: bool,
) -> Result<Option<Checkout>, CheckoutError> {
    let db = state.db.read();
    let Some(bound) = store::bound(db, at.scope, at.root).await? else {
        return Ok(None);
    };
    let sandbox = sandboxes::current(db, at.scope, at.sandbox_of.id()).await?;
    let none = SandboxError::NoSandbox(at.sandbox_of.kind());
    let sandbox = sandbox.ok_or(none)?.id;
    let row = match store::checkout(db, at.scope, at.root, sandbox).await? {
        Some(row) if begins && row.supply_again => supplied(state, at, &bound, row).await?,
        Some(row) => row,
        None => made(state, at, &bound, sandbox).await?,
    };
    let supplies = store::supplies(state.db.read(), at.scope, at.root).await?;
    Ok(Some(Checkout {
        supplies: supplies.iter().map(model::supply_words).collect(),
        full_name: bound.full_name,
        path: row.path,
        branch: row.branch,
    }))
}

async fn made(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    sandbox: SandboxId,
) -> Result<checkout::Model, CheckoutError> {
    let upstream = ready(state, at.scope, bound).await?;
    let mirror = upstream.clone();
    let branch = model::branch(bound, at.sandbox_of.id());
    let received = store::commits(state.db.read(), at.scope, at.root).await?;
    let from = model::begins_at(
        bound,
        &branch,
        &received,
        upstream.default_branch.as_deref(),
    );
    let from = from.ok_or_else(|| CheckoutError::Empty(bound.full_name.clone()))?;
    let asked = GitBundle {
        name: upstream.name,
        mirror: upstream.mirror,
        from,
        branch: branch.clone(),
        base: bound.base_commit.clone(),
        shallow_above: model::SHALLOW_ABOVE,
        most: model::MOST_IN,
        on_behalf: format!("run {}", at.root),
    };
    let (done, commit) = streamed(state, at, bound, asked).await?;
    // Before the row of the checkout: when the gateway dies in between, both are repeated.
    let base = bound.base_commit.as_ref().unwrap_or(&commit);
    let supply_again = supply(state, at, bound, (&mirror, base), None).await?.again;
    let mut change = Change::begin(state, at.scope, UserId::SYSTEM).await?;
    let row = checkout::Model {
        run_id: at.root,
        sandbox_id: sandbox,
        workspace_id: at.scope.workspace(),
        owner_id: at.sandbox_of.id(),
        branch,
        path: done.path,
        commit_id: done.commit,
        made_at: change.now(),
        supply_again,
    };
    store::put_checkout(&change, row.clone()).await?;
    if let Some(bound) = store::touch(&change, at.scope, at.root, Some(&commit)).await? {
        let event = Event::changed(ResourceKind::RunRepo, at.root, bound.version);
        change.event(event.about(at.about));
    }
    change.commit().await?;
    Ok(row)
}

/// Tries again to bring packages that did not arrive before. The step goes on without them while the mirror is away.
async fn supplied(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    row: checkout::Model,
) -> Result<checkout::Model, CheckoutError> {
    let upstream = source::of(state.db.read(), at.scope, bound).await?;
    let Some(base) = bound
        .base_commit
        .as_ref()
        .filter(|_| upstream.state == MirrorStanding::Ready)
    else {
        return Ok(row);
    };
    let supply_again = supply(state, at, bound, (&upstream, base), None)
        .await?
        .again;
    if supply_again {
        return Ok(row);
    }
    let row = checkout::Model {
        supply_again,
        ..row
    };
    let change = Change::begin(state, at.scope, UserId::SYSTEM).await?;
    store::put_checkout(&change, row.clone()).await?;
    change.commit().await?;
    Ok(row)
}

/// The repository, as soon as its mirror can be read.
async fn ready(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    bound: &bound::Model,
) -> Result<Source, CheckoutError> {
    let name = || bound.full_name.clone();
    let until = Instant::now() + PATIENCE;
    loop {
        let upstream = source::of(state.db.read(), scope, bound).await?;
        match upstream.state {
            MirrorStanding::Ready => return Ok(upstream),
            MirrorStanding::Fetching if Instant::now() < until => sleep(CHECK_EVERY).await,
            MirrorStanding::Fetching => return Err(CheckoutError::MirrorAway(name())),
            MirrorStanding::Failed(why) => {
                return Err(CheckoutError::NoMirror { name: name(), why });
            }
            MirrorStanding::None => {
                let why = "it was removed; mirror it again, and fork the run".to_owned();
                return Err(CheckoutError::NoMirror { name: name(), why });
            }
        }
    }
}

/// Streams the bundle into the sandbox. Returns what the sandbox has, and the commit of the bundle.
async fn streamed(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    asked: GitBundle,
) -> Result<(CheckedOut, String), CheckoutError> {
    let branch = asked.branch.clone();
    let (head, mut pieces) = state.broker.git_bundle(asked).await?;
    let request = json!({
        "folder": model::folder(&bound.full_name), "short": model::short(at.root.0), "branch": branch,
        "commit": head.commit, "shallow": head.shallow, "name": "Agent", "email": "agent@agents.roost.invalid",
    });
    let target = Target {
        scope: at.scope,
        owner: at.sandbox_of,
        about: at.about,
    };
    let purpose = ("checkout", bound.full_name.as_str());
    let mut program = Program::start(state, target, purpose, guest::CHECK_OUT, &request).await?;
    loop {
        match pieces.piece().await {
            Ok(Some(piece)) => {
                if !program.send(piece).await {
                    break;
                }
            }
            Ok(None) => break,
            Err(error) => {
                program.stop().await;
                let error = roost_platform::broker::BrokerError::from(error);
                return Err(error.into());
            }
        }
    }
    let answer = program.finish(ANSWER).await?;
    let (done, _): (CheckedOut, _) = model::parted(&answer).map_err(CheckoutError::Guest)?;
    let folders = model::folders(&bound.full_name, at.root);
    if !model::is_commit(&done.commit) || !folders.contains(&done.path) {
        let strange = "the sandbox answered something else than was asked".to_owned();
        return Err(CheckoutError::Guest(strange));
    }
    Ok((done, head.commit))
}
