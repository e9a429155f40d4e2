//! All SQL of avatars.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};

use super::entity::avatar;
use roost_platform::db::TenantEntity;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// The uploaded picture of an agent.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
) -> Result<Option<avatar::Model>, DbErr> {
    avatar::Entity::find_by_id_in(scope, claw).one(db).await
}

/// The hashes of the pictures of those agents that have one.
pub async fn hashes_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claws: &[ClawId],
) -> Result<HashMap<ClawId, String>, DbErr> {
    let rows: Vec<(ClawId, String)> = avatar::Entity::find_in(scope)
        .select_only()
        .columns([avatar::Column::ClawId, avatar::Column::Sha256])
        .filter(avatar::Column::ClawId.is_in(claws.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// Stores a picture in place of the earlier one.
pub async fn put(db: &impl ConnectionTrait, row: avatar::Model) -> Result<(), DbErr> {
    avatar::Entity::insert(avatar::ActiveModel::from(row))
        .on_conflict(
            OnConflict::column(avatar::Column::ClawId)
                .update_columns([
                    avatar::Column::Png,
                    avatar::Column::Sha256,
                    avatar::Column::UploadedBy,
                    avatar::Column::At,
                ])
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Removes the picture; `false` when there is none.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
) -> Result<bool, DbErr> {
    let done = avatar::Entity::delete_in(scope)
        .filter(avatar::Column::ClawId.eq(claw))
        .exec(db)
        .await?;
    Ok(done.rows_affected > 0)
}
