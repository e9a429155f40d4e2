//! Browsers that signed in to an account before. Their attempts count apart from the attempts of strangers: a stranger
//! that tries wrong passwords cannot keep the owner of the account from signing in.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use http::HeaderMap;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::entity::{known_device as device, user};
use super::middleware::cookie;
use super::{AuthError, Token, sha256_hex};
use roost_platform::db::WriteTx;
use roost_platform::ids::UserId;

/// The cookie by which the gateway recognises a browser. It gives no access.
pub const COOKIE: &str = "roost_device";
/// How long the gateway remembers a browser that is not used.
pub const LIVES: Duration = Duration::from_secs(180 * 24 * 3600);
/// The most browsers that are kept for a person. The one that was unused longest is removed first.
const MOST: u64 = 20;

/// The hash of the device cookie of this request, if it has one.
pub fn presented(headers: &HeaderMap) -> Option<String> {
    cookie(headers, COOKIE).map(sha256_hex)
}

/// Whether this browser signed in to the account with this address before.
///
/// # Errors
/// When the database fails.
pub async fn is_known(
    db: &impl ConnectionTrait,
    presented: &str,
    email: &str,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let found = device::Entity::find_by_id(presented).one(db).await?;
    let Some(found) = found.filter(|found| found.used_at > oldest(now)) else {
        return Ok(false);
    };
    let owner = user::Entity::find_by_id(found.user_id).one(db).await?;
    Ok(owner.is_some_and(|owner| owner.email == email))
}

/// Remembers the browser in which a person has just signed in. Returns the cookie value for a browser that has none
/// yet.
///
/// # Errors
/// When the database or the system's randomness fails.
pub async fn remember(
    tx: &WriteTx,
    user: UserId,
    presented: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<Token>, AuthError> {
    if let Some(presented) = presented {
        let again = device::Entity::update_many()
            .col_expr(device::Column::UsedAt, Expr::value(now))
            .filter(device::Column::Id.eq(presented))
            .filter(device::Column::UserId.eq(user))
            .exec(&**tx)
            .await?;
        if again.rows_affected > 0 {
            return Ok(None);
        }
    }
    let token = Token::fresh("rstd_")?;
    let row = device::ActiveModel {
        id: Set(token.sha256()),
        user_id: Set(user),
        used_at: Set(now),
    };
    device::Entity::insert(row)
        .exec_without_returning(&**tx)
        .await?;
    let kept: Vec<String> = device::Entity::find()
        .select_only()
        .column(device::Column::Id)
        .filter(device::Column::UserId.eq(user))
        .order_by_desc(device::Column::UsedAt)
        .order_by_desc(device::Column::Id)
        .limit(MOST)
        .into_tuple()
        .all(&**tx)
        .await?;
    device::Entity::delete_many()
        .filter(device::Column::UserId.eq(user))
        .filter(device::Column::Id.is_not_in(kept))
        .exec(&**tx)
        .await?;
    Ok(Some(token))
}

/// Removes browsers that were not used for a long time.
///
/// # Errors
/// When the database fails.
pub async fn forget_unused(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    device::Entity::delete_many()
        .filter(device::Column::UsedAt.lte(oldest(now)))
        .exec(db)
        .await?;
    Ok(())
}

fn oldest(now: DateTime<Utc>) -> DateTime<Utc> {
    now - TimeDelta::from_std(LIVES).unwrap_or(TimeDelta::MAX)
}
