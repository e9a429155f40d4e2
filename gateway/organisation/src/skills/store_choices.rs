//! All SQL of the skills of roles and agents.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::OnConflict,
};

use super::entity::{choice, role_skill};
use super::model::{Bound, Role};
use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, SkillId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;

/// The skills that a role of a template version is bound to, in order.
pub async fn of_role(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    role: &Role,
) -> Result<Vec<Bound>, DbErr> {
    let visible = Condition::any()
        .add(role_skill::Column::WorkspaceId.is_null())
        .add(role_skill::Column::WorkspaceId.eq(scope.workspace()));
    let rows = role_skill::Entity::find()
        .filter(visible)
        .filter(role_skill::Column::TemplateId.eq(role.template_id))
        .filter(role_skill::Column::TemplateVersion.eq(role.template_version))
        .filter(role_skill::Column::RoleSlot.eq(role.role_slot.as_str()))
        .order_by_asc(role_skill::Column::OrderIdx)
        .all(db)
        .await?;
    let bound = rows.into_iter().map(|row| Bound {
        name: row.skill_name,
        skill: row.skill_id,
        pinned: row.pin_in_context,
        order: row.order_idx,
    });
    Ok(bound.collect())
}

/// All bindings of a template version. The caller has already checked access to the template.
pub async fn of_version(
    db: &impl ConnectionTrait,
    template: TemplateId,
    version: i64,
) -> Result<Vec<role_skill::Model>, DbErr> {
    role_skill::Entity::find()
        .filter(role_skill::Column::TemplateId.eq(template))
        .filter(role_skill::Column::TemplateVersion.eq(version))
        .order_by_asc(role_skill::Column::RoleSlot)
        .order_by_asc(role_skill::Column::OrderIdx)
        .all(db)
        .await
}

/// Replaces the bindings of a template version.
pub async fn rebind(
    db: &impl ConnectionTrait,
    template: TemplateId,
    version: i64,
    rows: Vec<role_skill::Model>,
) -> Result<(), DbErr> {
    role_skill::Entity::delete_many()
        .filter(role_skill::Column::TemplateId.eq(template))
        .filter(role_skill::Column::TemplateVersion.eq(version))
        .exec(db)
        .await?;
    if !rows.is_empty() {
        let rows = rows.into_iter().map(role_skill::ActiveModel::from);
        role_skill::Entity::insert_many(rows)
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// The choices for an agent.
pub async fn of_agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<choice::Model>, DbErr> {
    choice::Entity::find_in(scope)
        .filter(choice::Column::AgentId.eq(agent))
        .order_by_asc(choice::Column::SkillId)
        .all(db)
        .await
}

/// Stores a choice, and replaces an earlier one.
pub async fn choose(db: &impl ConnectionTrait, row: choice::Model) -> Result<(), DbErr> {
    let same = [choice::Column::AgentId, choice::Column::SkillId];
    choice::Entity::insert(choice::ActiveModel::from(row))
        .on_conflict(
            OnConflict::columns(same)
                .update_column(choice::Column::Include)
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Removes a choice. `false` when there was none.
pub async fn take_back(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    skill: SkillId,
) -> Result<bool, DbErr> {
    let done = choice::Entity::delete_in(scope)
        .filter(choice::Column::AgentId.eq(agent))
        .filter(choice::Column::SkillId.eq(skill))
        .exec(db)
        .await?;
    Ok(done.rows_affected > 0)
}

/// Removes the choices for an agent that is deleted for good.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    choice::Entity::delete_in(scope)
        .filter(choice::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes the bindings of a workspace's own templates, when the workspace is deleted for good.
pub async fn remove_bindings(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(), DbErr> {
    role_skill::Entity::delete_in(scope).exec(db).await?;
    Ok(())
}
