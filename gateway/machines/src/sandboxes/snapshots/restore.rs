//! What a new sandbox begins with: reads what is known of an owner's files, and has the rules decide.

use sea_orm::{ConnectionTrait, DbErr};

use super::model::{self, Files, Origin};
use super::store;
use crate::fleet;
use crate::sandboxes::engine::node_of;
use crate::sandboxes::entity::container;
use crate::sandboxes::{SandboxError, reading};
use roost_platform::ids::{SandboxOwnerId, SnapshotId};
use roost_tenancy::auth::WorkspaceScope;

/// The columns of a new sandbox's row about its files.
#[derive(Debug, Default)]
pub struct Restore {
    /// The column `archive`: what the machine is asked to restore.
    pub archive: Option<serde_json::Value>,
    /// The column `detail`: why it is not the newest.
    pub detail: Option<String>,
}

/// Decides what a sandbox of an owner on `machine` restores. `last` is the row of the owner's last sandbox.
///
/// # Errors
/// When the database fails.
pub async fn choose(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    machine: &str,
    last: Option<&container::Model>,
) -> Result<Restore, DbErr> {
    let archive = last.and_then(|row| {
        let origin = Origin::of_column(row.archive.as_ref())?;
        Some((origin, row.node_id.clone()))
    });
    let archive_is_recorded = match &archive {
        Some((origin, _)) => store::with_digest(db, scope, owner, &origin.digest)
            .await?
            .is_some(),
        None => false,
    };
    let files = Files {
        newest: store::newest(db, scope, owner).await?,
        within_reach: store::within_reach(db, scope, owner, machine).await?,
        archive,
        archive_is_recorded,
    };
    let beginning = model::begin_with(files, machine);
    let detail = match &beginning.out_of_reach {
        None => None,
        Some((place, at)) => {
            let name = name_of(db, scope, place).await?;
            Some(model::explain(&name, *at, beginning.origin.as_ref()))
        }
    };
    Ok(Restore {
        archive: beginning.origin.map(|origin| serde_json::json!(origin)),
        detail,
    })
}

/// The files of a snapshot that a person chose.
///
/// # Errors
/// [`SandboxError::NoSnapshot`]; [`SandboxError::SnapshotElsewhere`] when `machine` cannot have it.
pub async fn chosen(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    (owner, snapshot): (SandboxOwnerId, SnapshotId),
    machine: &str,
) -> Result<Restore, SandboxError> {
    let row = store::get(db, scope, owner, snapshot).await?;
    let row = row.ok_or(SandboxError::NoSnapshot)?;
    if row.uploaded_at.is_none() && row.node_id != machine {
        let name = name_of(db, scope, &row.node_id).await?;
        return Err(SandboxError::SnapshotElsewhere(name));
    }
    Ok(Restore {
        archive: Some(serde_json::json!(Origin::of_snapshot(&row))),
        detail: None,
    })
}

/// What to call a machine in a sentence.
pub async fn name_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    machine: &str,
) -> Result<String, DbErr> {
    let name = match node_of(machine) {
        Some(node) => fleet::names_of(db, scope, &[node]).await?.remove(&node),
        None => None,
    };
    Ok(name.unwrap_or_else(|| reading::unnamed(machine).to_owned()))
}
