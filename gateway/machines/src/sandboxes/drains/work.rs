//! What a drain does with a sandbox: has its files saved, and ends it on its machine.

use std::time::Duration;

use super::model::{Next, Notes, next};
use super::{facts, store};
use crate::fleet::operations::OperationsError;
use crate::fleet::{self, Draining};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::Fact;
use crate::sandboxes::{
    SandboxError, SandboxesHandle, commands, owner, store as registry, transition,
};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{UserId, fresh};
use roost_platform::supervision::{StartError, Tenant};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How long a snapshot may take.
const WITHIN: Duration = Duration::from_secs(600);

/// Starts the job that has the files of a sandbox saved, unless it runs already.
///
/// # Errors
/// When the supervisor refuses the job.
pub async fn save(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    turn: i64,
) -> Result<(), SandboxError> {
    let (worker, saved) = (sandboxes.clone(), row.clone());
    let tenant = Some(Tenant::new(row.workspace_id));
    let started = sandboxes
        .jobs
        .spawn_job(format!("drain:{}", row.id), tenant, move |_| async move {
            save_now(&worker, &saved, turn).await.map_err(Into::into)
        })
        .await;
    match started {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn save_now(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    turn: i64,
) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let (id, at) = (fresh(&sandboxes.ids), sandboxes.clock.now());
    let saved = commands::flush(sandboxes, scope, row.owner(), id, WITHIN).await;
    let before = Notes::of(row.drain.as_ref(), turn);
    let notes = match saved {
        Ok(snapshot) => before.saved(snapshot.digest, at),
        // It ended meanwhile, or another gateway has the machine now.
        Err(SandboxError::NoSandbox(_) | SandboxError::NotRunning(_)) => return Ok(()),
        Err(error) if error.held_elsewhere().is_some() => return Ok(()),
        Err(SandboxError::Db(error)) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(sandbox = %row.id, %error, "a draining machine could not save a sandbox");
            before.failed(reason(&error), sandboxes.clock.now())
        }
    };
    let mut tx = sandboxes.db.write().await?;
    store::note(&*tx, scope, row.id, &notes).await?;
    let news = Event::reported(ResourceKind::Sandbox, row.id, row.version);
    events::append(&mut tx, row.workspace_id, sandboxes.clock.now(), [news]).await?;
    tx.commit().await?;
    sandboxes.drains.nudge();
    Ok(())
}

/// Why files could not be saved, for people.
fn reason(error: &SandboxError) -> String {
    match error {
        SandboxError::Refused(error) => error.detail.clone(),
        SandboxError::TooSlow => "the machine did not answer in time".to_owned(),
        SandboxError::Operations(OperationsError::NodeTooOld(_)) => {
            "its daemon is too old to save files on request; update roostd on the machine"
                .to_owned()
        }
        SandboxError::Operations(OperationsError::NodeOffline(_)) => {
            "the machine is not connected".to_owned()
        }
        other => other.to_string(),
    }
}

/// Ends a sandbox on its machine, if the same wish still holds and nothing has used the sandbox since it was saved. The
/// machine stores the files once more before it removes the sandbox.
///
/// # Errors
/// When the database fails.
pub async fn end(
    sandboxes: &SandboxesHandle,
    machine: &Draining,
    row: &container::Model,
) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let mut unit = Change::begin(sandboxes, scope, UserId::SYSTEM).await?;
    if !fleet::still_moves_locked(&unit, machine).await? {
        return Ok(());
    }
    registry::lock(&unit, scope, row.owner_id).await?;
    let Some(present) = registry::get(unit.tx(), scope, row.id).await? else {
        return Ok(());
    };
    let facts = facts::of_sandbox(unit.tx(), &present, machine.turn).await?;
    if next(&facts, machine.moves, unit.now()) != Next::End {
        return Ok(());
    }
    let change = transition::Change {
        operation: Some(fresh(&sandboxes.ids)),
        ..transition::Change::default()
    };
    let ended =
        transition::apply(&mut unit, sandboxes, present, Fact::DestroyAsked, change).await?;
    let Some(ended) = ended else {
        return Ok(());
    };
    let name = owner::name(sandboxes, scope, row.owner()).await?;
    let details = serde_json::json!({ "name": name, "sandbox": row.id, "node": row.node_id });
    unit.record(
        "sandbox.moved",
        (row.owner_kind.as_str(), &row.owner_id),
        details,
    );
    unit.commit().await?;
    transition::ensure_watch(sandboxes, &ended).await
}
