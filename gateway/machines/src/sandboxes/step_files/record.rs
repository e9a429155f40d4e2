//! Records the files of a sandbox when a step begins and when it ends.

use std::time::Duration;

use super::dto::FilesAt;
use super::entity::around;
use super::store;
use crate::fleet::operations::OperationsError;
use crate::sandboxes::commands::flush;
use crate::sandboxes::model::State;
use crate::sandboxes::{SandboxError, SandboxOwner, SandboxesHandle, store as registry};
use roost_platform::ids::{RunId, fresh};
use roost_tenancy::auth::WorkspaceScope;

/// How long a step waits for the snapshot. Without it the row says so, and the step goes on.
const WITHIN: Duration = Duration::from_secs(30);

/// A step, and the sandbox that it works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesPlace {
    pub scope: WorkspaceScope,
    /// The first run of the tree.
    pub root: RunId,
    pub run: RunId,
    pub step: String,
    /// The owner of the sandbox that the step works in.
    pub owner: SandboxOwner,
}

/// Records what the sandbox has before the step works in it. The first record stays. Without a running sandbox there is
/// nothing to record: this is called again when the step has made one. `unused` says that no call of the step can have
/// changed a file yet; otherwise the files of the begin are not known any more.
///
/// # Errors
/// When the database fails.
pub async fn begin(
    sandboxes: &SandboxesHandle,
    place: &FilesPlace,
    unused: bool,
) -> Result<(), SandboxError> {
    let db = sandboxes.db.read();
    if store::of_step(db, place.scope, place.run, &place.step)
        .await?
        .is_some()
    {
        return Ok(());
    }
    let sandbox = registry::current(db, place.scope, place.owner.id()).await?;
    let is_running = |state: &str| State::parse(state) == Some(State::Running);
    let Some(sandbox) = sandbox.filter(|row| is_running(&row.state)) else {
        return Ok(());
    };
    let files = match unused {
        true => present(sandboxes, place).await?,
        false => FilesAt {
            at: sandboxes.clock.now(),
            snapshot_id: None,
            digest: None,
            missing: Some("The gateway stopped before it had recorded them.".to_owned()),
        },
    };
    let row = around::Model {
        run_id: place.run,
        step: place.step.clone(),
        workspace_id: place.scope.workspace(),
        root_run_id: place.root,
        owner_kind: place.owner.kind(),
        owner_id: place.owner.id(),
        sandbox_id: sandbox.id,
        node_id: sandbox.node_id,
        began_snapshot: files.snapshot_id,
        began_digest: files.digest,
        began_missing: files.missing,
        began_at: files.at,
        ended_snapshot: None,
        ended_digest: None,
        ended_missing: None,
        ended_at: None,
    };
    let tx = sandboxes.db.write().await?;
    store::insert(&tx, row).await?;
    tx.commit().await?;
    Ok(())
}

/// Records what the sandbox has when the step has ended, before the run goes on. Nothing happens for a step that used no
/// sandbox.
///
/// # Errors
/// When the database fails.
pub async fn end(sandboxes: &SandboxesHandle, place: &FilesPlace) -> Result<(), SandboxError> {
    let row = store::of_step(sandboxes.db.read(), place.scope, place.run, &place.step).await?;
    let Some(row) = row else {
        return Ok(());
    };
    let files = present(sandboxes, place).await?;
    let row = around::Model {
        ended_snapshot: files.snapshot_id,
        ended_digest: files.digest,
        ended_missing: files.missing,
        ended_at: Some(files.at),
        ..row
    };
    let tx = sandboxes.db.write().await?;
    store::set_end(&tx, place.scope, &row).await?;
    tx.commit().await?;
    Ok(())
}

/// What the sandbox has now. Each call asks the machine again, so a repeated step never gets an older answer.
async fn present(sandboxes: &SandboxesHandle, place: &FilesPlace) -> Result<FilesAt, SandboxError> {
    let id = fresh(&sandboxes.ids);
    let stored = flush(sandboxes, place.scope, place.owner, id, WITHIN).await;
    let at = sandboxes.clock.now();
    Ok(match stored {
        Ok(snapshot) => FilesAt {
            at,
            snapshot_id: Some(snapshot.id),
            digest: Some(snapshot.digest),
            missing: None,
        },
        Err(SandboxError::Db(error)) => return Err(error.into()),
        Err(error) => FilesAt {
            at,
            snapshot_id: None,
            digest: None,
            missing: Some(reason(&error)),
        },
    })
}

/// Why the files are not known, for people.
fn reason(error: &SandboxError) -> String {
    use OperationsError as O;
    match error {
        SandboxError::Operations(O::NodeTooOld(_)) => {
            "The daemon on the machine is too old to store files on request.".to_owned()
        }
        SandboxError::Operations(O::NodeOffline(_)) => "The machine was not connected.".to_owned(),
        SandboxError::TooSlow => "The machine did not answer in time.".to_owned(),
        SandboxError::NoSandbox(_) | SandboxError::NotRunning(_) => {
            "The sandbox had ended before.".to_owned()
        }
        SandboxError::Refused(refused) => {
            format!("The machine could not store them: {}.", refused.detail)
        }
        other => format!("They could not be stored: {other}."),
    }
}
