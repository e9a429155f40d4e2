//! What the removal of an owner or of a workspace deletes.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::entity::{container, placement};
use super::{SandboxOwner, purges, snapshots, step_files, store};
use crate::fleet::operations;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::SandboxOwnerId;
use roost_tenancy::auth::WorkspaceScope;

/// The machines on which an owner had sandboxes, with the archives there that belong to no other owner's row.
pub async fn archives_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<HashMap<String, Vec<String>>, DbErr> {
    let rows = container::Entity::find_in(scope)
        .filter(container::Column::OwnerId.eq(owner))
        .all(db)
        .await?;
    let mut archives: HashMap<String, Vec<String>> = HashMap::new();
    for row in rows {
        let digest = store::digest_of(row.archive.as_ref());
        let known = archives.entry(row.node_id).or_default();
        known.extend(digest.filter(|digest| !known.contains(digest)));
    }
    for (machine, known) in &mut archives {
        if !known.is_empty() {
            let named = store::next_origins(db, machine, Some(owner)).await?;
            known.retain(|digest| !named.contains(digest));
        }
    }
    Ok(archives)
}

/// Deletes what the database has of an owner that is removed: its sandboxes, snapshots and commands with their outputs.
/// Each machine where it had a sandbox gets the wish to delete its files, which stays until the machine confirms it. A
/// mission is not removed, it has ended: its commands stay with the outputs of its runs.
///
/// # Errors
/// When the database fails.
pub async fn remove_of(
    tx: &WriteTx,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let archives = archives_of(&**tx, scope, owner.id()).await?;
    purges::store::ask(tx, scope, owner, archives, now).await?;
    let with_commands = owner.kind().is_purged();
    let owner = owner.id();
    if with_commands {
        operations::remove_of(tx, scope, owner).await?;
    }
    snapshots::store::remove_of(&**tx, scope, owner).await?;
    step_files::remove_of(&**tx, scope, owner).await?;
    container::Entity::delete_in(scope)
        .filter(container::Column::OwnerId.eq(owner))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes all rows of a workspace that is deleted. Its operations go with its row, and the wishes to this host stay.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    purges::store::remove_all(tx, scope).await?;
    snapshots::store::remove_all(&**tx, scope).await?;
    container::Entity::delete_in(scope).exec(&**tx).await?;
    placement::Entity::delete_by_id(scope.workspace())
        .exec(&**tx)
        .await?;
    Ok(())
}
