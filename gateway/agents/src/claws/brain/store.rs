//! All SQL of brains. Versions are only added. A version is removed when [`KEPT`](super::KEPT) newer ones exist, or
//! with its agent.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Select,
};

use super::entity::brain;
use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// A version without its text.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Listed {
    pub version: i64,
    pub bytes: i64,
    pub cause: String,
    pub restored_from: Option<i64>,
    pub author: UserId,
    pub at: chrono::DateTime<chrono::Utc>,
}

fn of(scope: WorkspaceScope, claw: ClawId) -> Select<brain::Entity> {
    brain::Entity::find_in(scope).filter(brain::Column::ClawId.eq(claw))
}

/// The newest version.
pub async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
) -> Result<Option<brain::Model>, DbErr> {
    of(scope, claw)
        .order_by_desc(brain::Column::Version)
        .one(db)
        .await
}

/// One version.
pub async fn version(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
    version: i64,
) -> Result<Option<brain::Model>, DbErr> {
    of(scope, claw)
        .filter(brain::Column::Version.eq(version))
        .one(db)
        .await
}

/// Newest first, without their texts. The cursor holds a version.
pub async fn history(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
    request: PageRequest,
) -> Result<Vec<Listed>, DbErr> {
    let mut query = of(scope, claw).select_only().columns([
        brain::Column::Version,
        brain::Column::Bytes,
        brain::Column::Cause,
        brain::Column::RestoredFrom,
        brain::Column::Author,
        brain::Column::At,
    ]);
    if let Some(after) = request.after {
        let (_, version) = after.as_u64_pair();
        let version = i64::try_from(version).unwrap_or(i64::MAX);
        query = query.filter(brain::Column::Version.lt(version));
    }
    query
        .order_by_desc(brain::Column::Version)
        .limit(request.rows())
        .into_model()
        .all(db)
        .await
}

/// Adds a version. A unique violation means that another write was faster.
pub async fn insert(db: &impl ConnectionTrait, row: brain::Model) -> Result<(), DbErr> {
    brain::Entity::insert(brain::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Removes the versions up to one, because they are too old.
pub async fn remove_up_to(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
    version: i64,
) -> Result<(), DbErr> {
    brain::Entity::delete_in(scope)
        .filter(brain::Column::ClawId.eq(claw))
        .filter(brain::Column::Version.lte(version))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes all versions, when the agent is purged.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawId,
) -> Result<(), DbErr> {
    brain::Entity::delete_in(scope)
        .filter(brain::Column::ClawId.eq(claw))
        .exec(db)
        .await?;
    Ok(())
}
