//! All SQL of what people change about their own accounts: name, address, picture. And the account of the deployment's
//! Owner.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Set, sea_query::Expr,
    sea_query::OnConflict,
};

use super::entity::{avatar, one_time_login, operator_grant, user};
use super::{EmailBy, store};
use roost_platform::db::WriteTx;
use roost_platform::ids::UserId;

/// The account of the first start, whatever its address is now.
pub async fn deployment_owner(db: &impl ConnectionTrait) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::DeploymentOwner.eq(true))
        .one(db)
        .await
}

/// Whether the Owner of the deployment has a password. A deployment without a marked Owner was set up before there was a
/// mark, so any password counts there.
pub async fn owner_is_ready(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    match deployment_owner(db).await? {
        Some(owner) => Ok(owner.password_hash.is_some()),
        None => store::anyone_has_a_password(db).await,
    }
}

/// Deletes the one-time logins of a person.
pub async fn forget_one_time_of(db: &impl ConnectionTrait, user: UserId) -> Result<(), DbErr> {
    one_time_login::Entity::delete_many()
        .filter(one_time_login::Column::UserId.eq(user))
        .exec(db)
        .await?;
    Ok(())
}

/// Gives a person another name.
pub async fn set_name(tx: &WriteTx, user: UserId, name: &str) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(user::Column::Name, Expr::value(name))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Gives an account another address. With `operates`, the account operates the deployment from now on, and a grant of the
/// old address ends: the next account with that address must not get it.
pub async fn set_address(
    tx: &WriteTx,
    user: &user::Model,
    (email, by): (&str, EmailBy),
    operates: bool,
) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(user::Column::Email, Expr::value(email))
        .col_expr(user::Column::EmailBy, Expr::value(by.as_str()))
        .col_expr(user::Column::Operates, Expr::value(operates))
        .filter(user::Column::Id.eq(user.id))
        .exec(&**tx)
        .await?;
    if operates {
        operator_grant::Entity::delete_by_id(user.email.clone())
            .exec(&**tx)
            .await?;
    }
    Ok(())
}

/// Sets the address that a person has to confirm, with the hash of the link and its end; or removes it.
pub async fn set_pending(
    tx: &WriteTx,
    user: UserId,
    pending: Option<(&str, &str, DateTime<Utc>)>,
) -> Result<(), DbErr> {
    use user::Column::{PendingEmail, PendingSha256, PendingUntil};
    tx.changes_authority();
    let (email, sha256, until) = match pending {
        Some((email, sha256, until)) => (Some(email), Some(sha256), Some(until)),
        None => (None, None, None),
    };
    user::Entity::update_many()
        .col_expr(PendingEmail, Expr::value(email.map(str::to_owned)))
        .col_expr(PendingSha256, Expr::value(sha256.map(str::to_owned)))
        .col_expr(PendingUntil, Expr::value(until))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The account whose new address this link confirms, while the link works.
pub async fn by_pending(
    db: &impl ConnectionTrait,
    sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::PendingSha256.eq(sha256))
        .filter(user::Column::PendingUntil.gt(now))
        .one(db)
        .await
}

/// Sets since when a person gets mail about runs.
pub async fn set_notices(
    tx: &WriteTx,
    user: UserId,
    since: Option<DateTime<Utc>>,
) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(user::Column::MailNoticesAt, Expr::value(since))
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The people who get mail about runs.
pub async fn with_notices(db: &impl ConnectionTrait) -> Result<Vec<user::Model>, DbErr> {
    user::Entity::find()
        .filter(user::Column::MailNoticesAt.is_not_null())
        .all(db)
        .await
}

/// The picture of a person.
pub async fn picture(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Option<avatar::Model>, DbErr> {
    avatar::Entity::find_by_id(user).one(db).await
}

/// Stores a picture in place of the earlier one.
pub async fn put_picture(
    tx: &WriteTx,
    user: UserId,
    (png, version): (Vec<u8>, &str),
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let row = avatar::ActiveModel {
        user_id: Set(user),
        png: Set(png),
        at: Set(at),
    };
    avatar::Entity::insert(row)
        .on_conflict(
            OnConflict::column(avatar::Column::UserId)
                .update_columns([avatar::Column::Png, avatar::Column::At])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    set_version(tx, user, Some(version)).await
}

/// Removes a picture, if there is one.
pub async fn remove_picture(tx: &WriteTx, user: UserId) -> Result<(), DbErr> {
    avatar::Entity::delete_by_id(user).exec(&**tx).await?;
    set_version(tx, user, None).await
}

async fn set_version(tx: &WriteTx, user: UserId, version: Option<&str>) -> Result<(), DbErr> {
    tx.changes_authority();
    user::Entity::update_many()
        .col_expr(
            user::Column::Avatar,
            Expr::value(version.map(str::to_owned)),
        )
        .filter(user::Column::Id.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}
