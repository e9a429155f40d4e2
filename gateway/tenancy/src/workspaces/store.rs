//! All SQL of workspaces and members.

use std::collections::{HashMap, HashSet};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, sea_query::Expr,
};

use super::entity::{member, quota_usage, workspace};
use super::{FilePolicy, PushPolicy, QuotaKind, Settings, invitations};
use crate::auth::{Role, WorkspaceScope};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{UserId, WorkspaceId};
use roost_web::pagination::PageRequest;

/// Inserts a workspace with its counters and its empty event log.
pub async fn insert(tx: &WriteTx, workspace: workspace::Model) -> Result<(), DbErr> {
    let id = workspace.id;
    workspace::Entity::insert(workspace::ActiveModel::from(workspace))
        .exec_without_returning(&**tx)
        .await?;
    let counters = QuotaKind::ALL.map(|kind| quota_usage::ActiveModel {
        workspace_id: sea_orm::Set(id),
        kind: sea_orm::Set(kind.as_str().to_owned()),
        used: sea_orm::Set(0),
    });
    quota_usage::Entity::insert_many(counters)
        .exec_without_returning(&**tx)
        .await?;
    roost_platform::events::open_log(tx, id).await
}

/// Inserts a membership.
pub async fn insert_member(db: &impl ConnectionTrait, member: member::Model) -> Result<(), DbErr> {
    member::Entity::insert(member::ActiveModel::from(member))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The workspace of a scope.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<workspace::Model>, DbErr> {
    workspace::Entity::find_by_id(scope.workspace())
        .one(db)
        .await
}

/// A workspace by its id, for callers without a scope: an operator who is not a member.
pub async fn by_id(
    db: &impl ConnectionTrait,
    id: WorkspaceId,
) -> Result<Option<workspace::Model>, DbErr> {
    workspace::Entity::find_by_id(id).one(db).await
}

/// All workspaces of the deployment, or those with this name, ordered by id.
pub async fn all(
    db: &impl ConnectionTrait,
    name: Option<&str>,
    request: PageRequest,
) -> Result<Vec<workspace::Model>, DbErr> {
    let mut query = workspace::Entity::find();
    if let Some(name) = name {
        query = query.filter(workspace::Column::Name.eq(name));
    }
    if let Some(after) = request.after {
        query = query.filter(workspace::Column::Id.gt(after));
    }
    query
        .order_by_asc(workspace::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// Locks the workspace's row for the rest of the transaction, so that transactions that count before they add run one
/// by one. `false` when the workspace does not exist any more.
pub async fn lock(tx: &WriteTx, scope: WorkspaceScope) -> Result<bool, DbErr> {
    let held = workspace::Entity::update_many()
        .col_expr(
            workspace::Column::Version,
            Expr::col(workspace::Column::Version),
        )
        .filter(workspace::Column::Id.eq(scope.workspace()))
        .exec(&**tx)
        .await?;
    Ok(held.rows_affected == 1)
}

/// Sets the name, the plan and the settings of a scope's workspace.
pub async fn set(
    tx: &WriteTx,
    scope: WorkspaceScope,
    (name, plan): (&str, &str),
    settings: Settings,
) -> Result<(), DbErr> {
    // The name is part of what is kept of a caller.
    tx.changes_authority();
    workspace::Entity::update_many()
        .col_expr(workspace::Column::Name, Expr::value(name))
        .col_expr(workspace::Column::Plan, Expr::value(plan))
        .col_expr(
            workspace::Column::PushPolicy,
            Expr::value(settings.push.as_str()),
        )
        .col_expr(
            workspace::Column::FilePolicy,
            Expr::value(settings.files.as_str()),
        )
        .col_expr(
            workspace::Column::WorkflowPolicy,
            Expr::value(settings.workflows.as_str()),
        )
        .filter(workspace::Column::Id.eq(scope.workspace()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The plan of a scope's workspace.
pub async fn plan(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<String, DbErr> {
    get(db, scope)
        .await?
        .map(|workspace| workspace.plan)
        .ok_or_else(|| DbErr::RecordNotFound(format!("workspace {}", scope.workspace())))
}

/// The settings of a scope's workspace; the first ones when it does not exist any more.
///
/// # Errors
/// When the database fails.
pub async fn settings(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<Settings, DbErr> {
    let found = get(db, scope).await?;
    Ok(found.as_ref().map_or_else(Settings::default, Settings::of))
}

/// Whether agents of a scope's workspace may push without a decision.
///
/// # Errors
/// When the database fails.
pub async fn push_policy(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<PushPolicy, DbErr> {
    Ok(settings(db, scope).await?.push)
}

/// Whether machines send the files of a scope's workspace to the gateway.
///
/// # Errors
/// When the database fails.
pub async fn file_policy(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<FilePolicy, DbErr> {
    Ok(settings(db, scope).await?.files)
}

/// The workspaces that a user belongs to, oldest membership first.
pub async fn of_user(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<(member::Model, workspace::Model)>, DbErr> {
    let members = member::Entity::find()
        .filter(member::Column::UserId.eq(user))
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::WorkspaceId)
        .all(db)
        .await?;
    let workspaces = workspace::Entity::find()
        .filter(workspace::Column::Id.is_in(members.iter().map(|m| m.workspace_id)))
        .all(db)
        .await?;
    Ok(members
        .into_iter()
        .filter_map(|member| {
            let workspace = workspaces.iter().find(|w| w.id == member.workspace_id)?;
            Some((member, workspace.clone()))
        })
        .collect())
}

/// The user's membership of a workspace.
pub async fn membership(
    db: &impl ConnectionTrait,
    user: UserId,
    workspace: WorkspaceId,
) -> Result<Option<(member::Model, workspace::Model)>, DbErr> {
    let found = member::Entity::find_by_id((workspace, user))
        .find_also_related(workspace::Entity)
        .one(db)
        .await?;
    Ok(found.and_then(|(member, workspace)| Some((member, workspace?))))
}

/// The user's oldest membership: a sign-in begins there.
pub async fn first_membership(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Option<member::Model>, DbErr> {
    member::Entity::find()
        .filter(member::Column::UserId.eq(user))
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::WorkspaceId)
        .one(db)
        .await
}

/// The memberships of these users, with their roles.
pub async fn memberships_of(
    db: &impl ConnectionTrait,
    users: HashSet<UserId>,
) -> Result<HashMap<(UserId, WorkspaceId), Role>, DbErr> {
    let (users, mut all) = (Vec::from_iter(users), HashMap::new());
    for some in users.chunks(500) {
        let found: Vec<(UserId, WorkspaceId, String)> = member::Entity::find()
            .select_only()
            .column(member::Column::UserId)
            .column(member::Column::WorkspaceId)
            .column(member::Column::Role)
            .filter(member::Column::UserId.is_in(some.iter().copied()))
            .into_tuple()
            .all(db)
            .await?;
        let found = found.into_iter();
        all.extend(found.map(|(user, workspace, role)| {
            let role = Role::from_stored(&role);
            ((user, workspace), role)
        }));
    }
    Ok(all)
}

/// The workspace of a request that names none: the deployment's own workspace if the user is a member, else the oldest
/// membership. Anybody can make another person's address a member of a workspace before that person first signs in.
pub async fn first_place(
    db: &impl ConnectionTrait,
    user: UserId,
    home: Option<WorkspaceId>,
) -> Result<Option<(member::Model, workspace::Model)>, DbErr> {
    let mut query = member::Entity::find()
        .filter(member::Column::UserId.eq(user))
        .find_also_related(workspace::Entity);
    if let Some(home) = home {
        let is_home = member::Column::WorkspaceId.eq(home);
        query = query.order_by_desc(is_home);
    }
    let found = query
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::WorkspaceId)
        .one(db)
        .await?;
    Ok(found.and_then(|(member, workspace)| Some((member, workspace?))))
}

/// The plans of the workspaces that a user owns, one entry for each workspace.
pub async fn plans_owned(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<String>, DbErr> {
    let rows = of_user(db, user).await?;
    let owned = rows
        .into_iter()
        .filter(|(member, _)| Role::from_stored(&member.role) == Role::Owner);
    Ok(owned.map(|(_, workspace)| workspace.plan).collect())
}

/// Removes all members and open invitations. Returns the removed members.
pub async fn remove_people(
    tx: &WriteTx,
    scope: WorkspaceScope,
) -> Result<Vec<member::Model>, DbErr> {
    tx.changes_authority();
    invitations::entity::Entity::delete_in(scope)
        .exec(&**tx)
        .await?;
    member::Entity::delete_in(scope)
        .exec_with_returning(&**tx)
        .await
}

/// Removes the row, and by foreign key its log, counters, keys, operations and sessions.
pub async fn remove(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    tx.changes_authority();
    workspace::Entity::delete_by_id(scope.workspace())
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Whether two people are members of a common workspace.
pub async fn are_colleagues(
    db: &impl ConnectionTrait,
    one: UserId,
    other: UserId,
) -> Result<bool, DbErr> {
    let of_one = member::Entity::find()
        .select_only()
        .column(member::Column::WorkspaceId)
        .filter(member::Column::UserId.eq(one))
        .into_query();
    let common = member::Entity::find()
        .filter(member::Column::UserId.eq(other))
        .filter(member::Column::WorkspaceId.in_subquery(of_one))
        .count(db)
        .await?;
    Ok(common > 0)
}

/// Counts the workspaces. The first one of a deployment is created at its first start.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    workspace::Entity::find().count(db).await
}
