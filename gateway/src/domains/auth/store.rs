//! All SQL of users, sessions, one-time logins and operator grants.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Set, sea_query::Expr, sea_query::OnConflict, sea_query::Query,
};

use super::Role;
use super::entity::{one_time_login, operator_grant, session, user};
use crate::domains::workspaces::entity::{member, workspace};
use crate::ids::{SessionId, UserId, WorkspaceId};

/// The session with this token hash and its user, whatever its age.
pub async fn session_by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
) -> Result<Option<(session::Model, user::Model)>, DbErr> {
    // Asked with every request, so it is one question.
    let found = session::Entity::find()
        .filter(session::Column::TokenSha256.eq(token_sha256))
        .find_also_related(user::Entity)
        .one(db)
        .await?;
    Ok(found.and_then(|(session, user)| Some((session, user?))))
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

/// The user's oldest membership: where a sign-in leads.
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

/// A user by e-mail (lower case).
pub async fn user_by_email(
    db: &impl ConnectionTrait,
    email: &str,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::Email.eq(email))
        .one(db)
        .await
}

/// A user by id.
pub async fn user_by_id(
    db: &impl ConnectionTrait,
    id: UserId,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find_by_id(id).one(db).await
}

/// Users by id, in no order.
pub async fn users_by_id(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::Id.is_in(ids))
        .all(db)
        .await
}

/// Whether any person (not the reserved user) has set a password.
pub async fn anyone_has_a_password(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let row = user::Entity::find()
        .filter(user::Column::PasswordHash.is_not_null())
        .one(db)
        .await?;
    Ok(row.is_some())
}

/// Inserts a user.
pub async fn insert_user(db: &impl ConnectionTrait, user: user::Model) -> Result<(), DbErr> {
    user::Entity::insert(user::ActiveModel::from(user))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Inserts a session.
pub async fn insert_session(
    db: &impl ConnectionTrait,
    session: session::Model,
) -> Result<(), DbErr> {
    session::Entity::insert(session::ActiveModel::from(session))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Inserts a one-time login.
pub async fn insert_one_time(
    db: &impl ConnectionTrait,
    login: one_time_login::Model,
) -> Result<(), DbErr> {
    one_time_login::Entity::insert(one_time_login::ActiveModel::from(login))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes and reads a one-time login in one statement, so that it works once.
pub async fn take_one_time(
    db: &impl ConnectionTrait,
    token_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<UserId>, DbErr> {
    let taken = one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::TokenSha256.eq(token_sha256))
        .exec_with_returning(db)
        .await?;
    Ok(taken
        .into_iter()
        .find(|login| login.expires_at > now)
        .map(|login| login.user_id))
}

/// Removes what has expired.
pub async fn forget_expired(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    session::Entity::delete_many()
        .filter(session::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// Notes that a session was used.
pub async fn touch_session(
    db: &impl ConnectionTrait,
    id: SessionId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    session::Entity::update_many()
        .col_expr(session::Column::LastSeenAt, Expr::value(now))
        .filter(session::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// The user's sessions, newest first.
pub async fn sessions_of(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<session::Model>, DbErr> {
    session::Entity::find()
        .filter(session::Column::UserId.eq(user))
        .order_by_desc(session::Column::Id)
        .all(db)
        .await
}

/// Which of these sessions are still there and not past their end.
pub async fn living_sessions(
    db: &impl ConnectionTrait,
    ids: HashSet<SessionId>,
    now: DateTime<Utc>,
) -> Result<HashSet<SessionId>, DbErr> {
    let (ids, mut living) = (Vec::from_iter(ids), HashSet::new());
    // SQLite's parameters are bounded; so is what one statement should ask for.
    for some in ids.chunks(500) {
        let found: Vec<SessionId> = session::Entity::find()
            .select_only()
            .column(session::Column::Id)
            .filter(session::Column::Id.is_in(some.iter().copied()))
            .filter(session::Column::ExpiresAt.gt(now))
            .into_tuple()
            .all(db)
            .await?;
        living.extend(found);
    }
    Ok(living)
}

/// Where these users are members, and as what.
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

/// Those of these users who operate the deployment by a grant.
pub async fn granted_among(
    db: &impl ConnectionTrait,
    users: HashSet<UserId>,
) -> Result<HashSet<UserId>, DbErr> {
    let (users, mut all) = (Vec::from_iter(users), HashSet::new());
    for some in users.chunks(500) {
        let grants = Query::select()
            .column(operator_grant::Column::Email)
            .from(operator_grant::Entity)
            .to_owned();
        let found: Vec<UserId> = user::Entity::find()
            .select_only()
            .column(user::Column::Id)
            .filter(user::Column::Id.is_in(some.iter().copied()))
            .filter(user::Column::Email.in_subquery(grants))
            .into_tuple()
            .all(db)
            .await?;
        all.extend(found);
    }
    Ok(all)
}

/// Deletes a session of the user; `None` when there is none.
pub async fn delete_session(
    db: &impl ConnectionTrait,
    user: UserId,
    id: SessionId,
) -> Result<Option<session::Model>, DbErr> {
    let deleted = session::Entity::delete_many()
        .filter(session::Column::Id.eq(id))
        .filter(session::Column::UserId.eq(user))
        .exec_with_returning(db)
        .await?;
    Ok(deleted.into_iter().next())
}

/// Ends all sign-ins of a user but one; their programs' tokens as well where `tokens` says so.
pub async fn delete_other_sessions(
    db: &impl ConnectionTrait,
    user: UserId,
    keep: SessionId,
    tokens: bool,
) -> Result<(), DbErr> {
    let mut others = session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::Id.ne(keep));
    if !tokens {
        others = others.filter(session::Column::Kind.eq("login"));
    }
    others.exec(db).await?;
    session::Entity::update_many()
        .col_expr(
            session::Column::SetPasswordWithoutCurrent,
            Expr::value(false),
        )
        .filter(session::Column::UserId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// Makes another workspace the active one of a session.
pub async fn switch_session(
    db: &impl ConnectionTrait,
    id: SessionId,
    workspace: WorkspaceId,
) -> Result<(), DbErr> {
    session::Entity::update_many()
        .col_expr(session::Column::WorkspaceId, Expr::value(workspace))
        .filter(session::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// After a user left a workspace: tokens that were made for it are dead, sign-ins go on in another workspace of theirs,
/// and end where there is none.
pub async fn leave_workspace(
    db: &impl ConnectionTrait,
    user: UserId,
    left: WorkspaceId,
) -> Result<(), DbErr> {
    let elsewhere = first_membership(db, user).await?;
    let mut dead = session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::WorkspaceId.eq(left));
    if elsewhere.is_some() {
        dead = dead.filter(session::Column::Kind.ne("login"));
    }
    dead.exec(db).await?;
    if let Some(member) = elsewhere {
        session::Entity::update_many()
            .col_expr(
                session::Column::WorkspaceId,
                Expr::value(member.workspace_id),
            )
            .filter(session::Column::UserId.eq(user))
            .filter(session::Column::WorkspaceId.eq(left))
            .exec(db)
            .await?;
    }
    Ok(())
}

/// Stores a new password hash.
pub async fn set_password(
    db: &impl ConnectionTrait,
    user: UserId,
    hash: String,
) -> Result<(), DbErr> {
    user::ActiveModel {
        id: Set(user),
        password_hash: Set(Some(hash)),
        ..Default::default()
    }
    .update(db)
    .await?;
    Ok(())
}

/// Whether the e-mail has the operator grant in the database.
pub async fn is_granted(db: &impl ConnectionTrait, email: &str) -> Result<bool, DbErr> {
    Ok(operator_grant::Entity::find_by_id(email.to_owned())
        .one(db)
        .await?
        .is_some())
}

/// Grants operation of the deployment to an e-mail.
pub async fn grant_operator(
    db: &impl ConnectionTrait,
    email: &str,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    operator_grant::Entity::insert(operator_grant::ActiveModel {
        email: Set(email.to_owned()),
        granted_at: Set(now),
    })
    .on_conflict(
        OnConflict::column(operator_grant::Column::Email)
            .update_column(operator_grant::Column::Email)
            .to_owned(),
    )
    .exec_without_returning(db)
    .await?;
    Ok(())
}
