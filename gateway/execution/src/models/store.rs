//! All SQL of models and of the workspace's ceilings.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::{model, settings};
use super::model::{Ceilings, name};
use super::resolve::SCRIPTED;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::ModelId;
use roost_tenancy::auth::WorkspaceScope;

/// One model.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ModelId,
) -> Result<Option<model::Model>, DbErr> {
    model::Entity::find_in(scope)
        .filter(model::Column::Id.eq(id))
        .one(db)
        .await
}

/// The model with this provider and name.
pub async fn named(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    provider: &str,
    name: &str,
) -> Result<Option<model::Model>, DbErr> {
    model::Entity::find_in(scope)
        .filter(model::Column::Provider.eq(provider))
        .filter(model::Column::Model.eq(name))
        .one(db)
        .await
}

/// Whether the workspace has the model of a binding (`provider/model`, or the script).
///
/// # Errors
/// When the database fails.
pub async fn is_there(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    binding: &str,
) -> Result<bool, DbErr> {
    let binding = binding.trim();
    if binding.is_empty() || binding == SCRIPTED {
        return Ok(true);
    }
    match binding.split_once('/') {
        Some((provider, name)) => Ok(named(db, scope, provider, name).await?.is_some()),
        None => Ok(false),
    }
}

/// The model for agents without a model of their own.
pub async fn default(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<model::Model>, DbErr> {
    model::Entity::find_in(scope)
        .filter(model::Column::IsDefault.eq(true))
        .one(db)
        .await
}

/// The names of the workspace's models, `provider/model`, in their order.
///
/// # Errors
/// When the database fails.
pub async fn names(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    most: u64,
) -> Result<Vec<String>, DbErr> {
    let rows = model::Entity::find_in(scope)
        .order_by_asc(model::Column::Provider)
        .order_by_asc(model::Column::Model)
        .limit(most)
        .all(db)
        .await?;
    let of = |row: model::Model| name(&row.provider, &row.model);
    Ok(rows.into_iter().map(of).collect())
}

/// All models, sorted by name.
pub async fn all(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Vec<model::Model>, DbErr> {
    model::Entity::find_in(scope)
        .order_by_asc(model::Column::Provider)
        .order_by_asc(model::Column::Model)
        .all(db)
        .await
}

/// The number of models.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    model::Entity::find_in(scope).count(db).await
}

/// Inserts a model.
pub async fn insert(tx: &WriteTx, row: model::Model) -> Result<(), DbErr> {
    model::Entity::insert(model::ActiveModel::from(row))
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Writes a row that was read in this transaction.
pub async fn update(tx: &WriteTx, row: model::Model) -> Result<(), DbErr> {
    model::ActiveModel::from(row)
        .reset_all()
        .update(&**tx)
        .await?;
    Ok(())
}

/// Clears the default flag, and returns the models that had it.
pub async fn no_default(tx: &WriteTx, scope: WorkspaceScope) -> Result<Vec<model::Model>, DbErr> {
    let before: Vec<model::Model> = model::Entity::find_in(scope)
        .filter(model::Column::IsDefault.eq(true))
        .all(&**tx)
        .await?;
    model::Entity::update_in(scope)
        .col_expr(model::Column::IsDefault, Expr::value(false))
        .col_expr(
            model::Column::Version,
            Expr::col(model::Column::Version).add(1),
        )
        .filter(model::Column::IsDefault.eq(true))
        .exec(&**tx)
        .await?;
    Ok(before)
}

/// Removes a model. `false` when it was already gone.
pub async fn remove(tx: &WriteTx, scope: WorkspaceScope, id: ModelId) -> Result<bool, DbErr> {
    let done = model::Entity::delete_in(scope)
        .filter(model::Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The workspace's ceilings.
pub async fn ceilings(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<Ceilings, DbErr> {
    let row = settings::Entity::find_by_id(scope.workspace())
        .one(db)
        .await?;
    Ok(row.as_ref().map(Ceilings::from).unwrap_or_default())
}

/// Writes the workspace's ceilings.
pub async fn set_ceilings(
    tx: &WriteTx,
    scope: WorkspaceScope,
    ceilings: Ceilings,
) -> Result<(), DbErr> {
    let stored = |most: Option<u64>| most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    let row = settings::Model {
        workspace_id: scope.workspace(),
        run_ceiling: stored(ceilings.run),
        month_ceiling: stored(ceilings.month),
        version: 1,
    };
    let again = OnConflict::column(settings::Column::WorkspaceId)
        .update_columns([settings::Column::RunCeiling, settings::Column::MonthCeiling])
        .to_owned();
    settings::Entity::insert(settings::ActiveModel::from(row))
        .on_conflict(again)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Deletes the ceilings of a workspace that is being deleted.
pub async fn remove_ceilings(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    settings::Entity::delete_by_id(scope.workspace())
        .exec(&**tx)
        .await?;
    Ok(())
}
