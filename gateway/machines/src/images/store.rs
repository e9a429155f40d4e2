//! SQL of the catalogue.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryOrder};

use super::entity::{self, Entity};
use roost_platform::db::WriteTx;

/// All rows, by name.
///
/// # Errors
/// When the database fails.
pub(super) async fn all(db: &impl ConnectionTrait) -> Result<Vec<entity::Model>, DbErr> {
    Entity::find()
        .order_by_asc(entity::Column::Name)
        .all(db)
        .await
}

/// Replaces the catalogue: an image that the configuration names no more is gone.
///
/// # Errors
/// When the database fails.
pub(super) async fn replace(tx: &WriteTx, rows: Vec<entity::Model>) -> Result<(), DbErr> {
    Entity::delete_many().exec(&**tx).await?;
    let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
    Entity::insert_many(rows)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}
