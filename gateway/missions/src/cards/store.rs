//! All SQL of summary cards.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::OnConflict,
};

use super::entity::card;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{MissionId, MissionPhaseId};
use roost_tenancy::auth::WorkspaceScope;

/// The card of a phase.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
) -> Result<Option<card::Model>, DbErr> {
    card::Entity::find_by_id_in(scope, phase).one(db).await
}

/// The cards of a mission.
///
/// # Errors
/// When the database fails.
pub async fn of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<card::Model>, DbErr> {
    card::Entity::find_in(scope)
        .filter(card::Column::MissionId.eq(mission))
        .all(db)
        .await
}

/// Writes the card of a phase over an earlier one.
///
/// # Errors
/// When the database fails.
pub async fn put(tx: &WriteTx, row: card::Model) -> Result<(), DbErr> {
    use card::Column::{Attempt, Card, CreatedAt, Model, PhaseId};
    card::Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::column(PhaseId)
                .update_columns([Attempt, Card, Model, CreatedAt])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}
