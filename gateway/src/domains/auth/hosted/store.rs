//! All SQL of people whom the issuer vouches for.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Set,
    sea_query::Expr, sea_query::OnConflict,
};

use super::entity::{home, login_code, sign_in};
use crate::domains::auth::Role;
use crate::domains::auth::entity::user;
use crate::domains::workspaces::entity::{member, workspace};
use crate::domains::workspaces::invitations::entity as invitation;
use crate::ids::{UserId, WorkspaceId};

/// The user of a subject.
pub async fn by_subject(
    db: &impl ConnectionTrait,
    subject: &str,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::AuthSubject.eq(subject))
        .one(db)
        .await
}

/// Ties an account to a subject, unless it is tied to one already.
pub async fn link(db: &impl ConnectionTrait, user: UserId, subject: &str) -> Result<bool, DbErr> {
    let done = user::Entity::update_many()
        .col_expr(user::Column::AuthSubject, Expr::value(subject))
        .filter(user::Column::Id.eq(user))
        .filter(user::Column::AuthSubject.is_null())
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Notes what a token claimed.
pub async fn note_claim(
    db: &impl ConnectionTrait,
    user: UserId,
    claimed: Option<Role>,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let claimed = claimed.map(Role::as_str);
    user::Entity::update_many()
        .col_expr(user::Column::HostedRole, Expr::value(claimed))
        .col_expr(user::Column::HostedAt, Expr::value(at))
        .filter(user::Column::Id.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// The deployment's own workspace, while it is there.
pub async fn home(db: &impl ConnectionTrait) -> Result<Option<WorkspaceId>, DbErr> {
    let row = home::Entity::find().one(db).await?;
    Ok(row.map(|row| row.workspace_id))
}

/// Writes down the deployment's own workspace. Two first starts at once write the same.
pub async fn set_home(db: &impl ConnectionTrait, workspace: WorkspaceId) -> Result<(), DbErr> {
    home::Entity::insert(home::ActiveModel {
        workspace_id: Set(workspace),
    })
    .on_conflict(
        OnConflict::column(home::Column::WorkspaceId)
            .update_column(home::Column::WorkspaceId)
            .to_owned(),
    )
    .exec_without_returning(db)
    .await?;
    Ok(())
}

/// Where a user belongs, longest first: a request without a workspace goes to the first.
pub async fn first_place(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Option<(member::Model, workspace::Model)>, DbErr> {
    let found = member::Entity::find()
        .filter(member::Column::UserId.eq(user))
        .find_also_related(workspace::Entity)
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::WorkspaceId)
        .one(db)
        .await?;
    Ok(found.and_then(|(member, workspace)| Some((member, workspace?))))
}

/// The oldest open invitation that names this e-mail.
pub async fn invitation_for(
    db: &impl ConnectionTrait,
    email: &str,
    now: DateTime<Utc>,
) -> Result<Option<invitation::Model>, DbErr> {
    invitation::Entity::find()
        .filter(invitation::Column::Email.eq(email))
        .filter(invitation::Column::AcceptedAt.is_null())
        .filter(invitation::Column::ExpiresAt.gt(now))
        .order_by_asc(invitation::Column::Id)
        .one(db)
        .await
}

/// Removes sign-ins that are over.
pub async fn forget_sign_ins(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    sign_in::Entity::delete_many()
        .filter(sign_in::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// How many sign-ins an address has under way.
pub async fn sign_ins_from(db: &impl ConnectionTrait, address: &str) -> Result<u64, DbErr> {
    sign_in::Entity::find()
        .filter(sign_in::Column::FromAddress.eq(address))
        .count(db)
        .await
}

/// Notes a sign-in.
pub async fn insert_sign_in(db: &impl ConnectionTrait, row: sign_in::Model) -> Result<(), DbErr> {
    sign_in::Entity::insert(sign_in::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes and reads a sign-in in one statement, so that it works once, and only for the browser that began it.
pub async fn take_sign_in(
    db: &impl ConnectionTrait,
    state_sha256: &str,
    binding_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<sign_in::Model>, DbErr> {
    let taken = sign_in::Entity::delete_many()
        .filter(sign_in::Column::StateSha256.eq(state_sha256))
        .filter(sign_in::Column::BindingSha256.eq(binding_sha256))
        .exec_with_returning(db)
        .await?;
    Ok(taken.into_iter().find(|row| row.expires_at > now))
}

/// Who confirmed a code.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation {
    pub user: UserId,
    pub workspace: WorkspaceId,
    /// The end of their own session.
    pub until: DateTime<Utc>,
}

/// Removes codes that ran out.
pub async fn forget_codes(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    login_code::Entity::delete_many()
        .filter(login_code::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// How many terminals of an address wait.
pub async fn codes_from(db: &impl ConnectionTrait, address: &str) -> Result<u64, DbErr> {
    login_code::Entity::find()
        .filter(login_code::Column::FromAddress.eq(address))
        .count(db)
        .await
}

/// Notes a terminal that waits.
pub async fn insert_code(db: &impl ConnectionTrait, row: login_code::Model) -> Result<(), DbErr> {
    login_code::Entity::insert(login_code::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The terminal that shows this code and was not confirmed yet.
pub async fn code(
    db: &impl ConnectionTrait,
    code_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<login_code::Model>, DbErr> {
    login_code::Entity::find()
        .filter(login_code::Column::CodeSha256.eq(code_sha256))
        .filter(login_code::Column::UserId.is_null())
        .filter(login_code::Column::ExpiresAt.gt(now))
        .one(db)
        .await
}

/// Confirms a code in one statement: of two who do one is refused.
pub async fn confirm_code(
    db: &impl ConnectionTrait,
    device_sha256: &str,
    by: Confirmation,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let done = login_code::Entity::update_many()
        .col_expr(login_code::Column::UserId, Expr::value(by.user))
        .col_expr(login_code::Column::WorkspaceId, Expr::value(by.workspace))
        .col_expr(login_code::Column::SessionUntil, Expr::value(by.until))
        .filter(login_code::Column::DeviceSha256.eq(device_sha256))
        .filter(login_code::Column::UserId.is_null())
        .filter(login_code::Column::ExpiresAt.gt(now))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The terminal with this secret, while its code is good.
pub async fn waiting(
    db: &impl ConnectionTrait,
    device_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<login_code::Model>, DbErr> {
    login_code::Entity::find_by_id(device_sha256.to_owned())
        .filter(login_code::Column::ExpiresAt.gt(now))
        .one(db)
        .await
}

/// Deletes and reads a terminal that was confirmed, in one statement, so that it is signed in once.
pub async fn take_code(
    db: &impl ConnectionTrait,
    device_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<login_code::Model>, DbErr> {
    let taken = login_code::Entity::delete_many()
        .filter(login_code::Column::DeviceSha256.eq(device_sha256))
        .filter(login_code::Column::UserId.is_not_null())
        .exec_with_returning(db)
        .await?;
    Ok(taken.into_iter().find(|row| row.expires_at > now))
}
