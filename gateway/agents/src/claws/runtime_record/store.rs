//! All SQL of runtime records.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, SelectStatement},
};

use super::entity::record;
use super::model::{BUILT_IN, Bundle, Profile, Record};
use crate::claws::entity::claw;
use roost_platform::db::TenantEntity;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// The record of an agent.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<record::Model>, DbErr> {
    record::Entity::find_by_id_in(scope, agent).one(db).await
}

/// Inserts the record of a new agent.
pub(in crate::claws) async fn insert(
    db: &impl ConnectionTrait,
    agent: &claw::Model,
    record: &Record,
) -> Result<(), DbErr> {
    let row = record::Model {
        agent_id: agent.id,
        workspace_id: agent.workspace_id,
        runtime: BUILT_IN.to_owned(),
        model: agent.model_binding.clone(),
        risk_profile: record.profile.as_str().to_owned(),
        mcp_bundles: Bundle::stored(record.bundles.iter().copied()),
        created_at: agent.created_at,
        minted: record.minted,
        image: None,
        limits: None,
    };
    record::Entity::insert(record::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Writes the model of agents into their records.
pub(in crate::claws) async fn set_model(
    db: &impl ConnectionTrait,
    agents: impl IntoIterator<Item = ClawId>,
    model: Option<&str>,
) -> Result<(), DbErr> {
    record::Entity::update_many()
        .col_expr(record::Column::Model, Expr::value(model))
        .filter(record::Column::AgentId.is_in(agents))
        .exec(db)
        .await?;
    Ok(())
}

/// The values that [`put`] writes, as they are stored.
#[derive(Debug, Clone, Copy)]
pub struct Set<'a> {
    pub profile: Profile,
    pub bundles: &'a str,
    pub image: Option<&'a str>,
    pub limits: Option<&'a str>,
}

/// Sets the profile, the bundles, the image and the limits of an agent. The caller also raises the version of the agent's row, so that a step
/// at work notices the change.
///
/// # Errors
/// When the database fails.
pub async fn put(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    set: Set<'_>,
) -> Result<(), DbErr> {
    record::Entity::update_in(scope)
        .col_expr(
            record::Column::RiskProfile,
            Expr::value(set.profile.as_str()),
        )
        .col_expr(record::Column::McpBundles, Expr::value(set.bundles))
        .col_expr(record::Column::Image, Expr::value(set.image))
        .col_expr(record::Column::Limits, Expr::value(set.limits))
        .filter(record::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}

/// A query of the ids of those of these agents that were created for a team.
pub fn minted(agents: impl IntoIterator<Item = ClawId>) -> SelectStatement {
    record::Entity::find()
        .select_only()
        .column(record::Column::AgentId)
        .filter(record::Column::AgentId.is_in(agents))
        .filter(record::Column::Minted.eq(true))
        .into_query()
}

/// Deletes the record of an agent that is purged.
///
/// # Errors
/// When the database fails.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    record::Entity::delete_in(scope)
        .filter(record::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}
