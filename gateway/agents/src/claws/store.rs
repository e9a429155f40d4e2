//! All SQL of claws. Every query takes the scope of a workspace.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::entity::{claw, state};
use super::{runtime_record, state_store};
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// One agent, deleted or not.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ClawId,
) -> Result<Option<claw::Model>, DbErr> {
    claw::Entity::find_in(scope)
        .filter(claw::Column::Id.eq(id))
        .one(db)
        .await
}

/// The version of an agent and the version that a second query selects, in one statement. The outer `None` means that
/// the agent does not exist or is deleted.
pub async fn living_with_version(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ClawId,
    version: SelectStatement,
) -> Result<Option<(i64, Option<i64>)>, DbErr> {
    claw::Entity::find_by_id_in(scope, id)
        .select_only()
        .column(claw::Column::Version)
        .expr_as(version, "second")
        .filter(claw::Column::DeletedAt.is_null())
        .into_tuple()
        .one(db)
        .await
}

/// Whether an agent that is not deleted has this name.
pub async fn is_called(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    name: &str,
) -> Result<bool, DbErr> {
    let found = claw::Entity::find_in(scope)
        .filter(claw::Column::Name.eq(name))
        .filter(claw::Column::DeletedAt.is_null())
        .one(db)
        .await?;
    Ok(found.is_some())
}

/// Agents, oldest first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
    include_deleted: bool,
) -> Result<Vec<claw::Model>, DbErr> {
    let mut query = claw::Entity::find_in(scope);
    if !include_deleted {
        query = query.filter(claw::Column::DeletedAt.is_null());
    }
    if let Some(after) = request.after {
        query = query.filter(claw::Column::Id.gt(after));
    }
    query
        .order_by_asc(claw::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// Locks an agent's row until the transaction ends, so that it cannot be deleted in the meantime. `false` when it does
/// not exist or is deleted already.
pub async fn lock_living(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ClawId,
) -> Result<bool, DbErr> {
    let held = claw::Entity::update_in(scope)
        .col_expr(claw::Column::Version, Expr::col(claw::Column::Version))
        .filter(claw::Column::Id.eq(id))
        .filter(claw::Column::DeletedAt.is_null())
        .exec(db)
        .await?;
    Ok(held.rows_affected == 1)
}

/// Inserts an agent and its state.
pub async fn insert(db: &impl ConnectionTrait, row: claw::Model) -> Result<(), DbErr> {
    claw::Entity::insert(claw::ActiveModel::from(row.clone()))
        .exec_without_returning(db)
        .await?;
    state_store::insert(db, &row).await
}

/// Stores a changed agent over the version from which it was made, and its model in the runtime's record. `false` when
/// that is not the present version.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &claw::Model,
    from_version: i64,
) -> Result<bool, DbErr> {
    let done = claw::Entity::update_many()
        .col_expr(claw::Column::Name, Expr::value(row.name.clone()))
        .col_expr(claw::Column::Role, Expr::value(row.role.clone()))
        .col_expr(
            claw::Column::SystemPrompt,
            Expr::value(row.system_prompt.clone()),
        )
        .col_expr(
            claw::Column::ModelBinding,
            Expr::value(row.model_binding.clone()),
        )
        .col_expr(claw::Column::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(claw::Column::DeletedAt, Expr::value(row.deleted_at))
        .col_expr(claw::Column::Version, Expr::value(row.version))
        .filter(claw::Column::Id.eq(row.id))
        .filter(claw::Column::WorkspaceId.eq(row.workspace_id))
        .filter(claw::Column::Version.eq(from_version))
        .exec(db)
        .await?;
    if done.rows_affected != 1 {
        return Ok(false);
    }
    runtime_record::store::set_model(db, [row.id], row.model_binding.as_deref()).await?;
    Ok(true)
}

/// Changes the model of those agents of the query that use `from`, also in the runtime's records. Returns the changed
/// rows.
pub async fn rebind(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agents: SelectStatement,
    from: Option<&str>,
    to: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<claw::Model>, DbErr> {
    let present = match from {
        Some(from) => claw::Column::ModelBinding.eq(from),
        None => claw::Column::ModelBinding.is_null(),
    };
    let version = Expr::col(claw::Column::Version).add(1);
    let rebound = claw::Entity::update_in(scope)
        .col_expr(claw::Column::ModelBinding, Expr::value(to))
        .col_expr(claw::Column::UpdatedAt, Expr::value(now))
        .col_expr(claw::Column::Version, version)
        .filter(claw::Column::Id.in_subquery(agents))
        .filter(claw::Column::DeletedAt.is_null())
        .filter(present)
        .exec_with_returning(&**tx)
        .await?;
    runtime_record::store::set_model(&**tx, rebound.iter().map(|claw| claw.id), to).await?;
    Ok(rebound)
}

/// Locks the rows of agents and of their states for this transaction. Another transaction that locks them waits for its end, and then sees
/// its writes. SQLite has one writer, so it needs no lock.
#[expect(
    clippy::disallowed_methods,
    reason = "on SQLite, where the lock would be dropped, nobody gets here"
)]
pub async fn lock(tx: &WriteTx, agents: impl IntoIterator<Item = ClawId>) -> Result<(), DbErr> {
    let mut agents = agents.into_iter().peekable();
    if tx.backend() == Backend::Sqlite || agents.peek().is_none() {
        return Ok(());
    }
    // The rows are always locked in one order, so that two transactions cannot deadlock.
    let agents: Vec<ClawId> = agents.collect();
    claw::Entity::find()
        .select_only()
        .column(claw::Column::Id)
        .filter(claw::Column::Id.is_in(agents.iter().copied()))
        .order_by_asc(claw::Column::Id)
        .lock_exclusive()
        .into_tuple::<ClawId>()
        .all(&**tx)
        .await?;
    state::Entity::find()
        .select_only()
        .column(state::Column::AgentId)
        .filter(state::Column::AgentId.is_in(agents))
        .order_by_asc(state::Column::AgentId)
        .lock_exclusive()
        .into_tuple::<ClawId>()
        .all(&**tx)
        .await
        .map(drop)
}

/// Gives all agents of one manager to another. Deleted ones are included, because a restored agent needs a manager too.
/// Returns the changed rows.
pub async fn hand_over(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    from: UserId,
    to: UserId,
    now: DateTime<Utc>,
) -> Result<Vec<claw::Model>, DbErr> {
    claw::Entity::update_in(scope)
        .col_expr(claw::Column::ManagedBy, Expr::value(to))
        .col_expr(claw::Column::UpdatedAt, Expr::value(now))
        .col_expr(
            claw::Column::Version,
            Expr::col(claw::Column::Version).add(1),
        )
        .filter(claw::Column::ManagedBy.eq(from))
        .exec_with_returning(db)
        .await
}

/// Removes the row permanently; `false` when it is gone already.
pub async fn remove(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ClawId,
) -> Result<bool, DbErr> {
    let done = claw::Entity::delete_in(scope)
        .filter(claw::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Those of these agents that belong to the workspace, deleted ones too.
pub async fn some(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: impl IntoIterator<Item = ClawId>,
) -> Result<Vec<claw::Model>, DbErr> {
    claw::Entity::find_in(scope)
        .filter(claw::Column::Id.is_in(ids))
        .all(db)
        .await
}
