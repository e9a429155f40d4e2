//! Writing an entry, always inside the transaction of the change itself.

use chrono::{DateTime, Utc};
use sea_orm::{DbErr, EntityTrait, Set};

use super::entity::{entry, waiting};
use crate::auth::WorkspaceScope;
use roost_platform::db::WriteTx;
use roost_platform::ids::{SharedIds, UserId, fresh};

/// Appends an entry in a transaction outside of a [`Change`](crate::change::Change), such as one over several
/// workspaces or a step of a saga. `actor` is the user with whose authority the change is made; `entity` is (kind, id);
/// `details` is a JSON object without secrets.
///
/// # Errors
/// When the database fails.
#[allow(
    clippy::too_many_arguments,
    reason = "the fields of an entry, each of another type"
)]
pub async fn record(
    tx: &WriteTx,
    ids: &SharedIds,
    at: DateTime<Utc>,
    scope: WorkspaceScope,
    actor: UserId,
    action: &str,
    entity: (&str, &(dyn std::fmt::Display + Sync)),
    details: serde_json::Value,
) -> Result<(), DbErr> {
    let id = fresh(ids);
    let entry = entry::Model {
        id,
        workspace_id: scope.workspace(),
        actor,
        action: action.to_owned(),
        entity_kind: entity.0.to_owned(),
        entity_id: entity.1.to_string(),
        details,
        at,
    };
    insert(tx, entry).await
}

/// Inserts an entry. The chain's writer links it after the commit.
///
/// # Errors
/// When the database fails.
pub(crate) async fn insert(tx: &WriteTx, entry: entry::Model) -> Result<(), DbErr> {
    let id = entry.id;
    entry::Entity::insert(entry::ActiveModel::from(entry))
        .exec_without_returning(&**tx)
        .await?;
    waiting::Entity::insert(waiting::ActiveModel { entry_id: Set(id) })
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}
