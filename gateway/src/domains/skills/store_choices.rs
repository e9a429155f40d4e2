//! All SQL of which skills roles and agents have.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::OnConflict,
};

use super::entity::{choice, role_skill};
use super::model::{Bound, Role};
use crate::domains::auth::WorkspaceScope;
use crate::ids::{ClawId, SkillId, TemplateId};

/// What a role of a version of a template is bound to, in order.
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

/// All bindings of a version of a template that the caller was shown to see.
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

/// Stores the bindings of a version of a template in place of what it had.
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
    choice::Entity::find()
        .filter(choice::Column::WorkspaceId.eq(scope.workspace()))
        .filter(choice::Column::AgentId.eq(agent))
        .order_by_asc(choice::Column::SkillId)
        .all(db)
        .await
}

/// Makes a choice, in place of an earlier one.
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

/// Takes a choice back; `false` when there was none.
pub async fn take_back(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    skill: SkillId,
) -> Result<bool, DbErr> {
    let done = choice::Entity::delete_many()
        .filter(choice::Column::WorkspaceId.eq(scope.workspace()))
        .filter(choice::Column::AgentId.eq(agent))
        .filter(choice::Column::SkillId.eq(skill))
        .exec(db)
        .await?;
    Ok(done.rows_affected > 0)
}

/// Removes the choices for an agent, when it goes for good.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    choice::Entity::delete_many()
        .filter(choice::Column::WorkspaceId.eq(scope.workspace()))
        .filter(choice::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes the bindings of a workspace's own templates, when it goes for good.
pub async fn remove_bindings(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(), DbErr> {
    role_skill::Entity::delete_many()
        .filter(role_skill::Column::WorkspaceId.eq(scope.workspace()))
        .exec(db)
        .await?;
    Ok(())
}
