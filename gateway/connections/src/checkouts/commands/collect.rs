//! Takes the commits of a step out of its sandbox. A refusal is a row that people see; the step itself goes on.

use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::wire::{GitReceive, Received};
use serde_json::json;
use tokio::time::sleep;

use super::check_out::StepPlace;
use crate::checkouts::entity::{bound, checkout, commits};
use crate::checkouts::guest::{self, Program, Target};
use crate::checkouts::model::{self, Offered, Shown};
use crate::checkouts::{CheckoutError, CheckoutsContext, source, store};
use roost_machines::sandboxes;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{self, WorkflowPolicy};

/// How often a passing failure is tried again.
const TRIES: u32 = 3;
const BEFORE_RETRY: Duration = Duration::from_millis(500);

/// Takes the new commits of the step out. Nothing happens when the run works on no repository, or the sandbox has no
/// checkout of it.
///
/// # Errors
/// When the database fails, or the sandbox cannot be reached now. A repeat with the same step replaces its row.
pub async fn collect(
    state: &CheckoutsContext,
    at: StepPlace,
    step: &str,
) -> Result<(), CheckoutError> {
    let db = state.db.read();
    let Some(bound) = store::bound(db, at.scope, at.root).await? else {
        return Ok(());
    };
    let Some(sandbox) = sandboxes::current(db, at.scope, at.sandbox_of.id()).await? else {
        return Ok(());
    };
    let Some(place) = store::checkout(db, at.scope, at.root, sandbox.id).await? else {
        return Ok(());
    };
    let mut tries = 0;
    let taken = loop {
        tries += 1;
        match taken(state, at, &bound, &place).await {
            Err(error) if error.is_passing() && tries < TRIES => sleep(BEFORE_RETRY).await,
            taken => break taken,
        }
    };
    let known = store::commits(db, at.scope, at.root).await?;
    let before = model::heads(&known)
        .into_iter()
        .find(|row| row.branch == place.branch);
    let mut row = commits::Model {
        run_id: at.root,
        step_run_id: at.run,
        step: step.to_owned(),
        workspace_id: at.scope.workspace(),
        owner_kind: at.sandbox_of.kind(),
        owner_id: at.sandbox_of.id(),
        branch: place.branch,
        head: before.and_then(|row| row.head.clone()),
        commits: before.map_or(0, |row| row.commits),
        files: before.map_or(0, |row| row.files),
        shown: before.map_or_else(
            || "{\"newest\":[],\"changed\":[]}".to_owned(),
            |row| row.shown.clone(),
        ),
        uncommitted: 0,
        refused: None,
        at: state.clock.now(),
        pushed_at: before.and_then(|row| row.pushed_at),
        pull_url: before.and_then(|row| row.pull_url.clone()),
    };
    let is_new = !known
        .iter()
        .any(|row| row.step_run_id == at.run && row.step == step);
    let mut unreached = None;
    match taken {
        Ok(Taken {
            received: None,
            uncommitted: 0,
        }) if is_new => return Ok(()),
        Ok(Taken {
            received,
            uncommitted,
        }) => {
            row.uncommitted = i64::from(uncommitted);
            if let Some(received) = received {
                received_into(&mut row, received);
            }
        }
        Err(CheckoutError::Db(error)) => return Err(error.into()),
        Err(error) => {
            let cause: &dyn std::error::Error = &error;
            tracing::warn!(error = cause, run = %at.run, step, "the commits of a step were not received");
            row.refused = Some(error.words());
            unreached = matches!(error, CheckoutError::Sandbox(_)).then_some(error);
        }
    }
    write(state, at, row).await?;
    unreached.map_or(Ok(()), Err)
}

fn received_into(row: &mut commits::Model, received: Received) {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    if row.head.as_ref() != Some(&received.commit) {
        row.pushed_at = None;
    }
    row.head = Some(received.commit.clone());
    row.commits = count(received.commits);
    row.files = count(received.files);
    row.shown = serde_json::to_string(&Shown::from(received)).unwrap_or_default();
}

async fn write(
    state: &CheckoutsContext,
    at: StepPlace,
    row: commits::Model,
) -> Result<(), sea_orm::DbErr> {
    let mut change = Change::begin(state, at.scope, UserId::SYSTEM).await?;
    store::put_commits(&change, row).await?;
    if let Some(bound) = store::touch(&change, at.scope, at.root, None).await? {
        let event = Event::changed(ResourceKind::RunRepo, at.root, bound.version);
        change.event(event.about(at.about));
    }
    change.commit().await
}

struct Taken {
    /// Absent when nothing is new.
    received: Option<Received>,
    uncommitted: u32,
}

async fn taken(
    state: &CheckoutsContext,
    at: StepPlace,
    bound: &bound::Model,
    place: &checkout::Model,
) -> Result<Taken, CheckoutError> {
    let db = state.db.read();
    let upstream = source::of(db, at.scope, bound).await?;
    let base = store::bound(db, at.scope, at.root).await?;
    let base = base.and_then(|bound| bound.base_commit);
    let base = base.ok_or_else(|| CheckoutError::Empty(bound.full_name.clone()))?;
    let rows = store::commits(db, at.scope, at.root).await?;
    let heads = model::heads(&rows);
    let known: Vec<&str> = heads
        .iter()
        .filter_map(|row| row.head.as_deref())
        .chain([place.commit_id.as_str(), base.as_str()])
        .collect();
    let asked = json!({
        "path": place.path, "branch": place.branch, "known": known, "most": model::MOST_OUT,
    });
    let target = Target {
        scope: at.scope,
        owner: at.sandbox_of,
        about: at.about,
    };
    let purpose = ("commits", bound.full_name.as_str());
    let program = Program::start(state, target, purpose, guest::OFFER, &asked).await?;
    let most = usize::try_from(model::MOST_OUT).unwrap_or(usize::MAX) + (64 << 10);
    let mut answer = Bytes::from(program.finish(most).await?);
    let (offered, rest): (Offered, _) = model::parted(&answer).map_err(CheckoutError::Guest)?;
    if rest.len() as u64 != offered.bundle {
        return Err(CheckoutError::Lost(
            "a part of the bundle is missing".to_owned(),
        ));
    }
    let uncommitted = offered.uncommitted;
    if offered.bundle == 0 {
        return Ok(Taken {
            received: None,
            uncommitted,
        });
    }
    let bundle = answer.split_off(answer.len() - rest.len());
    let settings = workspaces::settings(state.db.read(), at.scope).await?;
    let asked = GitReceive {
        name: upstream.name,
        mirror: upstream.mirror,
        branch: place.branch.clone(),
        base,
        workflows: settings.workflows == WorkflowPolicy::Allow,
        on_behalf: format!("run {}", at.run),
    };
    let received = state.broker.git_receive(asked, bundle).await?;
    Ok(Taken {
        received: Some(received),
        uncommitted,
    })
}
