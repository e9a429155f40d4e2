//! All SQL of sandboxes. Queries of a tenant take a scope; those of the gateway's own actors name the machine.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::entity::{container, placement};
use super::model::{Setting, State};
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::events::AgentState;
use crate::ids::{ClawId, NodeId, SandboxId, UserId};

const LIVE: [&str; 3] = ["provisioning", "running", "destroying"];
const CURRENT: [&str; 5] = ["provisioning", "running", "destroying", "stopped", "lost"];

fn within(scope: WorkspaceScope) -> Select<container::Entity> {
    container::Entity::find().filter(container::Column::WorkspaceId.eq(scope.workspace()))
}

/// The sandbox that an agent has: live, stopped or lost; the newest.
pub async fn current(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<container::Model>, DbErr> {
    let newest = within(scope)
        .filter(container::Column::AgentId.eq(agent))
        .order_by_desc(container::Column::Epoch)
        .one(db)
        .await?;
    Ok(newest.filter(|row| State::parse(&row.state).is_some_and(State::current)))
}

/// The newest sandbox of an agent, ended or not.
pub async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<container::Model>, DbErr> {
    within(scope)
        .filter(container::Column::AgentId.eq(agent))
        .order_by_desc(container::Column::Epoch)
        .one(db)
        .await
}

/// The current sandboxes of these agents.
pub async fn current_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agents: &[ClawId],
) -> Result<Vec<container::Model>, DbErr> {
    within(scope)
        .filter(container::Column::AgentId.is_in(agents.iter().copied()))
        .filter(container::Column::State.is_in(CURRENT))
        .order_by_asc(container::Column::Epoch)
        .all(db)
        .await
}

/// One row of a workspace.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
) -> Result<Option<container::Model>, DbErr> {
    within(scope)
        .filter(container::Column::Id.eq(id))
        .one(db)
        .await
}

/// Rows of a machine (`local` or a node's id) in these states, of every workspace: for its own actor only.
pub async fn on_machine(
    db: &impl ConnectionTrait,
    machine: &str,
    states: &[State],
) -> Result<Vec<container::Model>, DbErr> {
    container::Entity::find()
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::State.is_in(states.iter().map(|state| state.as_str())))
        .order_by_asc(container::Column::Id)
        .all(db)
        .await
}

/// Machine and limits of a workspace's rows in these states.
pub async fn holding(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    states: &[State],
) -> Result<Vec<(String, serde_json::Value)>, DbErr> {
    within(scope)
        .select_only()
        .column(container::Column::NodeId)
        .column(container::Column::Limits)
        .filter(container::Column::State.is_in(states.iter().map(|state| state.as_str())))
        .into_tuple()
        .all(db)
        .await
}

/// Rows that wait for an operation, of every workspace: for recovery only.
pub async fn in_transition(db: &impl ConnectionTrait) -> Result<Vec<container::Model>, DbErr> {
    container::Entity::find()
        .filter(
            container::Column::State
                .is_in([State::Provisioning.as_str(), State::Destroying.as_str()]),
        )
        .all(db)
        .await
}

/// Every machine that holds live or lost sandboxes.
pub async fn machines(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    container::Entity::find()
        .select_only()
        .column(container::Column::NodeId)
        .distinct()
        .filter(container::Column::State.is_in(CURRENT))
        .into_tuple()
        .all(db)
        .await
}

/// The live sandboxes of a machine, for reconciling.
pub async fn live_on(db: &impl ConnectionTrait, machine: &str) -> Result<Vec<SandboxId>, DbErr> {
    let rows = container::Entity::find()
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::State.is_in(LIVE))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Inserts a row.
pub async fn insert(db: &impl ConnectionTrait, row: container::Model) -> Result<(), DbErr> {
    container::Entity::insert(row.into_active_model())
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Stores a changed row over the version that it was made from; `false` when that is not the present one.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &container::Model,
    from_version: i64,
) -> Result<bool, DbErr> {
    use container::Column as C;
    let done = container::Entity::update_many()
        .col_expr(C::NodeId, Expr::value(row.node_id.clone()))
        .col_expr(C::Fallback, Expr::value(row.fallback.clone()))
        .col_expr(C::Container, Expr::value(row.container.clone()))
        .col_expr(C::State, Expr::value(row.state.clone()))
        .col_expr(C::OperationId, Expr::value(row.operation_id))
        .col_expr(C::Detail, Expr::value(row.detail.clone()))
        .col_expr(C::Archive, Expr::value(row.archive.clone()))
        .col_expr(C::Hardening, Expr::value(row.hardening.clone()))
        .col_expr(C::LastUsedAt, Expr::value(row.last_used_at))
        .col_expr(C::EndedAt, Expr::value(row.ended_at))
        .col_expr(C::Version, Expr::value(row.version))
        .filter(C::Id.eq(row.id))
        .filter(C::WorkspaceId.eq(row.workspace_id))
        .filter(C::Version.eq(from_version))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Notes that a sandbox was used; not a new version, because nothing that people decide on changed.
pub async fn touch(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    container::Entity::update_many()
        .col_expr(container::Column::LastUsedAt, Expr::value(now))
        .filter(container::Column::Id.eq(id))
        .filter(container::Column::WorkspaceId.eq(scope.workspace()))
        .exec(db)
        .await?;
    Ok(())
}

/// Running sandboxes whose agents show as working.
pub async fn running_of_working_agents(
    db: &impl ConnectionTrait,
) -> Result<Vec<container::Model>, DbErr> {
    let working = claws::store::ids_in_state(AgentState::Working.as_str());
    container::Entity::find()
        .filter(container::Column::State.eq(State::Running.as_str()))
        .filter(container::Column::AgentId.in_subquery(working))
        .all(db)
        .await
}

/// Forgets the rows of an agent that is purged.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    container::Entity::delete_many()
        .filter(container::Column::WorkspaceId.eq(scope.workspace()))
        .filter(container::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}

/// Forgets all rows of a workspace that is deleted.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    container::Entity::delete_many()
        .filter(container::Column::WorkspaceId.eq(scope.workspace()))
        .exec(db)
        .await?;
    placement::Entity::delete_by_id(scope.workspace())
        .exec(db)
        .await?;
    Ok(())
}

/// The placement setting; local when nobody set one.
pub async fn placement(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(Setting, i64), DbErr> {
    let row = placement::Entity::find_by_id(scope.workspace())
        .one(db)
        .await?;
    Ok(row.map_or((Setting::Local, 0), |row| {
        (
            row.node_id.map_or(Setting::Local, Setting::Node),
            row.version,
        )
    }))
}

/// Sets the placement; `None` is local. Answers the new version.
pub async fn set_placement(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    node: Option<NodeId>,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let (_, version) = placement(db, scope).await?;
    let row = placement::Model {
        workspace_id: scope.workspace(),
        node_id: node,
        set_by: user,
        updated_at: now,
        version: version + 1,
    };
    use placement::Column as C;
    placement::Entity::insert(row.into_active_model())
        .on_conflict(
            sea_orm::sea_query::OnConflict::column(C::WorkspaceId)
                .update_columns([C::NodeId, C::SetBy, C::UpdatedAt, C::Version])
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(version + 1)
}
