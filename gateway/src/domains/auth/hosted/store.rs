//! All SQL of people whom the issuer vouches for.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Set,
    sea_query::Expr, sea_query::OnConflict,
};

use super::entity::{home, sign_in};
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
