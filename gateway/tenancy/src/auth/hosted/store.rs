//! All SQL of the issuer's people.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{DEPLOYMENT, RecordName};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Set,
    sea_query::Expr, sea_query::OnConflict,
};

use super::entity::{home, login_code, sign_in};
use crate::auth::entity::{one_time_login, session, user};
use crate::auth::{EmailBy, Role};
use roost_platform::db::{Db, WriteTx};
use roost_platform::ids::{UserId, WorkspaceId};

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

/// Links an account to a subject, unless it is linked already. Its credentials stay.
pub async fn link(tx: &WriteTx, user: UserId, subject: &str) -> Result<bool, DbErr> {
    tx.changes_authority();
    let done = user::Entity::update_many()
        .col_expr(user::Column::AuthSubject, Expr::value(subject))
        .filter(user::Column::Id.eq(user))
        .filter(user::Column::AuthSubject.is_null())
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Records that the issuer vouches for the address of an account from now on.
pub async fn vouch(tx: &WriteTx, user: UserId) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(user::Column::EmailBy, Expr::value(EmailBy::Issuer.as_str()))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Takes an address from an account that only typed it. `false`: the account has another address, or its address is
/// vouched for by now.
pub async fn take_address(
    tx: &WriteTx,
    user: UserId,
    address: &str,
    instead: String,
) -> Result<bool, DbErr> {
    tx.changes_authority();
    let done = user::Entity::update_many()
        .col_expr(user::Column::Email, Expr::value(instead))
        .filter(user::Column::Id.eq(user))
        .filter(user::Column::Email.eq(address))
        .filter(user::Column::EmailBy.eq(EmailBy::Person.as_str()))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Ends everything that gives access as this user: password, sign-ins, tokens of programs, one-time logins, and
/// sign-ins that are under way. Returns the number of sessions that ended.
pub async fn end_credentials(tx: &WriteTx, user: UserId) -> Result<u64, DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(user::Column::PasswordHash, Expr::value(None::<String>))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    let sessions = session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .exec(&**tx)
        .await?;
    one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::UserId.eq(user))
        .exec(&**tx)
        .await?;
    login_code::Entity::delete_many()
        .filter(login_code::Column::UserId.eq(user))
        .exec(&**tx)
        .await?;
    sign_in::Entity::delete_many()
        .filter(sign_in::Column::LinkUser.eq(user))
        .exec(&**tx)
        .await?;
    Ok(sessions.rows_affected)
}

/// Reserves the question to the issuer about a person for this request. `false`: another request or gateway has it.
pub async fn take_question(db: &Db, user: &user::Model, now: DateTime<Utc>) -> Result<bool, DbErr> {
    let tx = db.write().await?;
    let done = user::Entity::update_many()
        .col_expr(user::Column::IssuerAskedAt, Expr::value(now))
        .filter(user::Column::Id.eq(user.id))
        .filter(user::Column::IssuerAskedAt.eq(user.issuer_asked_at))
        .exec(&*tx)
        .await?;
    tx.commit().await?;
    Ok(done.rows_affected == 1)
}

/// Records that the issuer answered.
pub async fn note_answer(db: &Db, user: UserId, now: DateTime<Utc>) -> Result<(), DbErr> {
    let tx = db.write().await?;
    user::Entity::update_many()
        .col_expr(user::Column::IssuerAnsweredAt, Expr::value(now))
        .filter(user::Column::Id.eq(user))
        .exec(&*tx)
        .await?;
    tx.commit().await
}

/// Records the grant with which the gateway asks the issuer from now on.
pub async fn set_grant(
    db: &impl ConnectionTrait,
    user: UserId,
    grant: &RecordName,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    user::Entity::update_many()
        .col_expr(user::Column::IssuerGrant, Expr::value(grant.connection()))
        .col_expr(user::Column::IssuerAskedAt, Expr::value(now))
        .col_expr(user::Column::IssuerAnsweredAt, Expr::value(now))
        .filter(user::Column::Id.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes and returns a user's grant. The caller then has the broker forget it.
pub async fn take_grant(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Option<RecordName>, DbErr> {
    let row = user::Entity::find_by_id(user).one(db).await?;
    let grant = row.and_then(|row| row.issuer_grant);
    user::Entity::update_many()
        .col_expr(user::Column::IssuerGrant, Expr::value(None::<String>))
        .filter(user::Column::Id.eq(user))
        .exec(db)
        .await?;
    Ok(grant.and_then(|grant| RecordName::new(DEPLOYMENT, grant).ok()))
}

/// Ends the sessions of a user that rest on the issuer's word.
pub async fn end_issuer_sessions(tx: &WriteTx, user: UserId) -> Result<(), DbErr> {
    tx.changes_authority();
    session::Entity::delete_many()
        .filter(session::Column::UserId.eq(user))
        .filter(session::Column::ByIssuer.eq(true))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Records the role that a token claimed.
pub async fn note_claim(
    tx: &WriteTx,
    user: UserId,
    claimed: Option<Role>,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    tx.changes_authority();
    let claimed = claimed.map(Role::as_str);
    user::Entity::update_many()
        .col_expr(user::Column::HostedRole, Expr::value(claimed))
        .col_expr(user::Column::HostedAt, Expr::value(at))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The deployment's own workspace, while it exists.
pub async fn home(db: &impl ConnectionTrait) -> Result<Option<WorkspaceId>, DbErr> {
    let row = home::Entity::find().one(db).await?;
    Ok(row.map(|row| row.workspace_id))
}

/// Records the deployment's own workspace. Two first starts at the same time write the same value.
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

/// Deletes expired sign-ins.
pub async fn forget_sign_ins(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    sign_in::Entity::delete_many()
        .filter(sign_in::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// Counts the sign-ins of an address that are under way.
pub async fn sign_ins_from(db: &impl ConnectionTrait, address: &str) -> Result<u64, DbErr> {
    sign_in::Entity::find()
        .filter(sign_in::Column::FromAddress.eq(address))
        .count(db)
        .await
}

/// Inserts a sign-in.
pub async fn insert_sign_in(db: &impl ConnectionTrait, row: sign_in::Model) -> Result<(), DbErr> {
    sign_in::Entity::insert(sign_in::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes and returns a sign-in in one statement, so that it works once, and only for the browser that began it.
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

/// The confirmation of a code.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation {
    pub user: UserId,
    pub workspace: WorkspaceId,
    /// The end of the confirming session.
    pub until: DateTime<Utc>,
    /// The confirming session rests on the issuer's word.
    pub by_issuer: bool,
}

/// Deletes expired codes.
pub async fn forget_codes(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    login_code::Entity::delete_many()
        .filter(login_code::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// Counts the waiting terminals of an address.
pub async fn codes_from(db: &impl ConnectionTrait, address: &str) -> Result<u64, DbErr> {
    login_code::Entity::find()
        .filter(login_code::Column::FromAddress.eq(address))
        .count(db)
        .await
}

/// Inserts a waiting terminal.
pub async fn insert_code(db: &impl ConnectionTrait, row: login_code::Model) -> Result<(), DbErr> {
    login_code::Entity::insert(login_code::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The terminal that shows this code and is not confirmed yet.
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

/// Confirms a code in one statement: if two requests confirm it, one is refused.
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
        .col_expr(login_code::Column::ByIssuer, Expr::value(by.by_issuer))
        .filter(login_code::Column::DeviceSha256.eq(device_sha256))
        .filter(login_code::Column::UserId.is_null())
        .filter(login_code::Column::ExpiresAt.gt(now))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The terminal with this secret, while its code is valid.
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

/// Deletes and returns a confirmed terminal in one statement, so that it is signed in once.
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
