//! SQL of the wishes. A tenant's statements take a scope; the others name the machine.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::entity::{Column, Entity, Model};
use crate::sandboxes::SandboxOwner;
use crate::sandboxes::engine::LOCAL;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::SandboxOwnerId;
use roost_tenancy::auth::WorkspaceScope;

/// Wishes in one round. A connection has room for some more messages than these.
pub const AT_ONCE: u64 = 200;

/// Writes the wishes of an owner that is removed: its machines with the archives there.
pub async fn ask(
    tx: &WriteTx,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    machines: HashMap<String, Vec<String>>,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    for (node_id, archives) in machines {
        let row = Model {
            node_id,
            owner_id: owner.id(),
            owner_kind: owner.kind(),
            workspace_id: scope.workspace(),
            archives: serde_json::json!(archives),
            asked_at: now,
            told_at: now,
        };
        Entity::insert(row.into_active_model())
            .on_conflict(
                OnConflict::columns([Column::NodeId, Column::OwnerId])
                    .update_column(Column::Archives)
                    .to_owned(),
            )
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(())
}

/// Some wishes to a machine, of all workspaces: those that were not sent for the longest time.
pub async fn of_machine(db: &impl ConnectionTrait, machine: &str) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::NodeId.eq(machine))
        .order_by_asc(Column::ToldAt)
        .order_by_asc(Column::OwnerId)
        .limit(AT_ONCE)
        .all(db)
        .await
}

/// Writes when wishes were sent.
pub async fn told(
    tx: &WriteTx,
    machine: &str,
    owners: &[SandboxOwnerId],
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::ToldAt, Expr::value(now))
        .filter(Column::NodeId.eq(machine))
        .filter(Column::OwnerId.is_in(owners.iter().copied()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The machines that have wishes.
pub async fn machines(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::NodeId)
        .distinct()
        .into_tuple()
        .all(db)
        .await
}

/// Deletes a wish that the machine has confirmed.
pub async fn done(tx: &WriteTx, machine: &str, owner: SandboxOwnerId) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::NodeId.eq(machine))
        .filter(Column::OwnerId.eq(owner))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes the wishes to a machine that was removed from the fleet.
pub async fn remove_of_machine(tx: &WriteTx, machine: &str) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::NodeId.eq(machine))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes the wishes of a workspace that is deleted, except those to this host: its machines are removed, and this host
/// is not.
pub async fn remove_all(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    Entity::delete_in(scope)
        .filter(Column::NodeId.ne(LOCAL))
        .exec(&**tx)
        .await?;
    Ok(())
}
