//! Writing an entry, always inside the transaction of the change itself.

use chrono::{DateTime, Utc};
use sea_orm::{DbErr, EntityTrait, Set};

use super::entity::{entry, waiting};
use crate::platform::db::WriteTx;
use crate::platform::ids::{AuditId, SharedIds, UserId, fresh};
use crate::tenancy::auth::WorkspaceScope;

/// Appends an entry. `actor` is the user with whose authority the change is made; `entity` is (kind, id); `details` is
/// a JSON object without secrets.
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
    let id: AuditId = fresh(ids);
    entry::Entity::insert(entry::ActiveModel {
        id: Set(id),
        workspace_id: Set(scope.workspace()),
        actor: Set(actor),
        action: Set(action.to_owned()),
        entity_kind: Set(entity.0.to_owned()),
        entity_id: Set(entity.1.to_string()),
        details: Set(details),
        at: Set(at),
    })
    .exec_without_returning(&**tx)
    .await?;
    // The chain's writer links the entry after the commit.
    waiting::Entity::insert(waiting::ActiveModel { entry_id: Set(id) })
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}
