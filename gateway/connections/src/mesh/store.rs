//! All SQL of mesh networks.

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::entity::network;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_tenancy::auth::WorkspaceScope;

/// The network of the workspace.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<network::Model>, DbErr> {
    network::Entity::find_in(scope).one(db).await
}

pub async fn insert(tx: &WriteTx, row: network::Model) -> Result<(), DbErr> {
    network::Entity::insert(network::ActiveModel::from(row))
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Removes this network; `false` when another has replaced it.
pub async fn remove(
    tx: &WriteTx,
    scope: WorkspaceScope,
    row: &network::Model,
) -> Result<bool, DbErr> {
    let done = network::Entity::delete_in(scope)
        .filter(network::Column::Id.eq(row.id))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}
