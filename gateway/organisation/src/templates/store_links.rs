//! All SQL of the links from agents to templates.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, OnConflict},
};

use super::entity::link;
use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// The link of one agent.
pub async fn of_agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<link::Model>, DbErr> {
    link::Entity::find_in(scope)
        .filter(link::Column::AgentId.eq(agent))
        .one(db)
        .await
}

/// The workspace's agents that were made from a template, oldest first.
pub async fn made_from(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    template: TemplateId,
    request: Option<PageRequest>,
) -> Result<Vec<link::Model>, DbErr> {
    let mut query = link::Entity::find_in(scope).filter(link::Column::TemplateId.eq(template));
    if let Some(request) = request {
        if let Some(after) = request.after {
            query = query.filter(link::Column::AgentId.gt(after));
        }
        query = query.limit(request.rows());
    }
    query.order_by_asc(link::Column::AgentId).all(db).await
}

/// Stores the link of an agent. A later link replaces it, but the time of the seeding stays.
pub async fn put(db: &impl ConnectionTrait, row: link::Model) -> Result<(), DbErr> {
    link::Entity::insert(link::ActiveModel::from(row))
        .on_conflict(
            OnConflict::column(link::Column::AgentId)
                .update_columns([
                    link::Column::TemplateId,
                    link::Column::TemplateVersion,
                    link::Column::RoleSlot,
                ])
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Moves an agent from one version to another. `false` when it has another version now.
pub async fn move_on(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    link: &link::Model,
    to: i64,
) -> Result<bool, DbErr> {
    let done = link::Entity::update_in(scope)
        .col_expr(link::Column::TemplateVersion, Expr::value(to))
        .filter(link::Column::AgentId.eq(link.agent_id))
        .filter(link::Column::TemplateId.eq(link.template_id))
        .filter(link::Column::TemplateVersion.eq(link.template_version))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Records when the brain was seeded. The first time stays.
pub async fn seeded(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    link::Entity::update_in(scope)
        .col_expr(link::Column::SeededAt, Expr::value(now))
        .filter(link::Column::AgentId.eq(agent))
        .filter(link::Column::SeededAt.is_null())
        .exec(db)
        .await?;
    Ok(())
}

/// Removes the link of an agent that is deleted for good.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    link::Entity::delete_in(scope)
        .filter(link::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}
