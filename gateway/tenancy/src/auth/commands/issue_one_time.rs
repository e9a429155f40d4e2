//! Issuing a one-time login: at the first start, and for recovery on the machine itself (`roost one-time`).

use chrono::TimeDelta;

use crate::auth::entity::one_time_login;
use crate::auth::{AuthError, Token, store};
use roost_platform::clock::SharedClock;
use roost_platform::db::WriteTx;
use roost_platform::ids::{SharedIds, UserId, fresh};

/// Stores the hash of a fresh one-time login for the user; it works once, for `minutes`.
///
/// # Errors
/// When the system has no randomness or the database fails.
pub async fn issue_one_time(
    tx: &WriteTx,
    clock: &SharedClock,
    ids: &SharedIds,
    user: UserId,
    minutes: u32,
) -> Result<Token, AuthError> {
    let token = Token::fresh("rot_")?;
    let now = clock.now();
    store::forget_expired(&**tx, now).await?;
    store::insert_one_time(
        &**tx,
        one_time_login::Model {
            id: fresh(ids),
            user_id: user,
            token_sha256: token.sha256(),
            created_at: now,
            expires_at: now + TimeDelta::minutes(minutes.into()),
        },
    )
    .await?;
    Ok(token)
}
