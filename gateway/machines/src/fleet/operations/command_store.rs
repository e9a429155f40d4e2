//! The SQL of commands: lists of them, and what is kept of their output.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, LikeExpr, OnConflict, Query};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Order,
    QueryFilter, QueryOrder, QuerySelect,
};

use super::entity;
use super::kept::KeptOutput;
use super::kept_entity as kept;
use super::model::OperationState;
use roost_platform::db::{Older, TenantEntity, WriteTx};
use roost_platform::ids::{OperationId, SandboxOwnerId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// Which commands a list shows.
#[derive(Debug, Clone, Default)]
pub struct CommandFilter {
    /// Only those in the sandboxes of these owners. Absent: of all owners of the workspace.
    pub owners: Option<Vec<SandboxOwnerId>>,
    /// Only those that failed: they ended with another exit code than 0, could not run, or were lost.
    pub failed: bool,
    /// Only those that have not ended.
    pub running: bool,
    /// Only those whose command contains this text, in any case.
    pub text: Option<String>,
}

/// The commands in the sandboxes of a workspace, newest first.
pub(super) async fn commands(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    filter: &CommandFilter,
    older: Older<OperationId>,
    limit: u64,
) -> Result<Vec<entity::Model>, DbErr> {
    use entity::Column;
    let mut query = entity::Entity::find_in(scope)
        .filter(Column::OwnerKind.is_not_null())
        .filter(older.of(Column::CreatedAt, Column::Id));
    if let Some(owners) = &filter.owners {
        query = query.filter(Column::OwnerId.is_in(owners.iter().copied()));
    }
    if filter.failed {
        let ended_so = [OperationState::Failed, OperationState::Lost].map(OperationState::as_str);
        let failed = Condition::any()
            .add(Column::State.is_in(ended_so))
            .add(Column::ExitCode.ne(0));
        query = query.filter(failed);
    }
    if filter.running {
        let open = [OperationState::Pending, OperationState::Running].map(OperationState::as_str);
        query = query.filter(Column::State.is_in(open));
    }
    if let Some(text) = &filter.text {
        let pattern = format!("%{}%", escaped(&text.to_lowercase()));
        let lower = Expr::expr(Func::lower(Expr::col(Column::Command)));
        query = query.filter(lower.like(LikeExpr::new(pattern).escape('!')));
    }
    query
        .order_by(Column::CreatedAt, Order::Desc)
        .order_by(Column::Id, Order::Desc)
        .limit(limit)
        .all(db)
        .await
}

fn escaped(text: &str) -> String {
    text.replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_")
}

/// What is kept of a command's output.
pub(super) async fn kept_of(
    db: &impl ConnectionTrait,
    id: OperationId,
) -> Result<Option<KeptOutput>, DbErr> {
    let row = kept::Entity::find_by_id(id).one(db).await?;
    Ok(row.and_then(|row| KeptOutput::decode(row.parts)))
}

/// Keeps output. What is kept already stays.
pub(super) async fn keep(
    tx: &WriteTx,
    workspace: WorkspaceId,
    id: OperationId,
    output: &KeptOutput,
) -> Result<(), DbErr> {
    let row = kept::ActiveModel {
        operation_id: Set(id),
        workspace_id: Set(workspace),
        parts: Set(output.encode()),
    };
    kept::Entity::insert(row)
        .on_conflict(
            OnConflict::column(kept::Column::OperationId)
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Commands with output that ended after this time and have none of it kept, at most `limit`.
///
/// # Errors
/// When the database fails.
pub async fn ended_without_output(
    db: &impl ConnectionTrait,
    after: DateTime<Utc>,
    limit: u64,
) -> Result<Vec<entity::Model>, DbErr> {
    let with = Query::select()
        .column(kept::Column::OperationId)
        .from(kept::Entity)
        .to_owned();
    entity::Entity::find()
        .filter(entity::Column::FinishedAt.gt(after))
        .filter(entity::Column::OwnerKind.is_not_null())
        .filter(entity::Column::OutputEnd.gt(0))
        .filter(entity::Column::Id.not_in_subquery(with))
        .limit(limit)
        .all(db)
        .await
}
