//! All SQL of summary cards.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, ExprTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, UpdateMany,
    sea_query::{Expr, OnConflict},
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
    use card::Column::{
        Attempt, Card, CreatedAt, Model, NarrativeDueMs, NarrativeError, NarrativeTries, PhaseId,
    };
    card::Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::column(PhaseId)
                // What an earlier attempt cost stays.
                .update_columns([
                    Attempt,
                    Card,
                    Model,
                    CreatedAt,
                    NarrativeDueMs,
                    NarrativeError,
                    NarrativeTries,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// The cards whose narrative a model has to write, the longest due first.
///
/// # Errors
/// When the database fails.
pub async fn due(
    db: &impl ConnectionTrait,
    now_ms: i64,
    most: u64,
) -> Result<Vec<card::Model>, DbErr> {
    card::Entity::find()
        .filter(card::Column::NarrativeDueMs.lte(now_ms))
        .order_by_asc(card::Column::NarrativeDueMs)
        .limit(most)
        .all(db)
        .await
}

/// Takes the card for one question: it is due again at `until_ms`, unless the narrative is written before. `false` when
/// another gateway has taken it, or the phase began again.
///
/// # Errors
/// When the database fails.
pub async fn claim(
    db: &impl ConnectionTrait,
    row: &card::Model,
    until_ms: i64,
) -> Result<bool, DbErr> {
    let done = as_claimed(row)
        .col_expr(card::Column::NarrativeDueMs, Expr::value(until_ms))
        .col_expr(
            card::Column::NarrativeTries,
            Expr::value(row.narrative_tries + 1),
        )
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Writes what the question of a claimed card came to. `false` when the claim is over.
///
/// # Errors
/// When the database fails.
pub async fn settle(
    db: &impl ConnectionTrait,
    claimed: &card::Model,
    now: card::Model,
) -> Result<bool, DbErr> {
    let done = as_claimed(claimed)
        .col_expr(card::Column::Card, Expr::value(now.card))
        .col_expr(card::Column::Model, Expr::value(now.model))
        .col_expr(
            card::Column::NarrativeDueMs,
            Expr::value(now.narrative_due_ms),
        )
        .col_expr(
            card::Column::NarrativeError,
            Expr::value(now.narrative_error),
        )
        .col_expr(
            card::Column::NarrativeCostMicrousd,
            Expr::value(now.narrative_cost_microusd),
        )
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// An update of the card as this row has it: the same attempt, due at the same time.
fn as_claimed(row: &card::Model) -> UpdateMany<card::Entity> {
    card::Entity::update_many()
        .filter(card::Column::PhaseId.eq(row.phase_id))
        .filter(card::Column::Attempt.eq(row.attempt))
        .filter(card::Column::NarrativeDueMs.eq(row.narrative_due_ms))
}

/// What narratives of the workspace cost since this time, in millionths of a US dollar.
///
/// # Errors
/// When the database fails.
pub async fn spent_since(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    since: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let sum = Expr::col(card::Column::NarrativeCostMicrousd)
        .sum()
        .cast_as("BIGINT");
    let spent: Option<Option<i64>> = card::Entity::find_in(scope)
        .select_only()
        .expr_as(sum, "spent")
        .filter(card::Column::CreatedAt.gt(since))
        .into_tuple()
        .one(db)
        .await?;
    Ok(spent.flatten().unwrap_or(0))
}

/// What the narratives of each of these missions cost, in millionths of a US dollar.
///
/// # Errors
/// When the database fails.
pub async fn costs(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    missions: &[MissionId],
) -> Result<HashMap<MissionId, i64>, DbErr> {
    let found: Vec<(MissionId, i64)> = card::Entity::find_in(scope)
        .select_only()
        .column(card::Column::MissionId)
        .column(card::Column::NarrativeCostMicrousd)
        .filter(card::Column::MissionId.is_in(missions.iter().copied()))
        .filter(card::Column::NarrativeCostMicrousd.gt(0))
        .into_tuple()
        .all(db)
        .await?;
    let mut costs = HashMap::new();
    for (mission, cost) in found {
        *costs.entry(mission).or_default() += cost;
    }
    Ok(costs)
}
