//! Changing the name, the address or the picture of the caller's own account.

use secrecy::SecretString;
use sha2::{Digest, Sha256};

use super::accept_invitation::belongs_to_an_operator;
use super::current_password::is_current;
use super::open_session::people_only;
use crate::auth::entity::user;
use crate::auth::{AuthContext, AuthError, Caller, EmailBy, account_store, store};
use crate::change::Change;
use roost_platform::db::unique_violation;

/// What a person changes.
pub struct AccountChange {
    /// Trimmed.
    pub name: Option<String>,
    /// Lower case.
    pub email: Option<String>,
    /// The present password. A new address needs it when the account has one.
    pub password: Option<SecretString>,
}

/// Changes the caller's account. Returns it as it is now.
///
/// # Errors
/// [`AuthError::WrongPassword`], [`AuthError::AddressTaken`], [`AuthError::OperatorsAddress`],
/// [`AuthError::AddressOfIssuer`], [`AuthError::NotForPrograms`], or an internal error.
pub async fn change_account(
    state: &AuthContext,
    caller: &Caller,
    wanted: AccountChange,
) -> Result<user::Model, AuthError> {
    // Another gateway may have changed the account since the caller was identified: what decides is read now.
    let token = &people_only(caller)?.token_sha256;
    let (_, user) = store::session_by_token(state.db.read(), token)
        .await?
        .ok_or(AuthError::UnknownSession)?;
    let scope = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?.scope;
    let email = wanted.email.filter(|email| *email != user.email);
    if let Some(email) = &email {
        may_have(state, caller, &user, email, wanted.password).await?;
    }
    let mut change = Change::begin(state, scope, user.id).await?;
    let about = user.id;
    if let Some(name) = wanted.name.filter(|name| *name != user.name) {
        account_store::set_name(&change, user.id, &name).await?;
        let details = serde_json::json!({ "from": user.name, "to": name });
        change.record("account.renamed", ("user", &about), details);
    }
    if let Some(email) = &email {
        if store::user_by_email(change.tx(), email).await?.is_some() {
            return Err(AuthError::AddressTaken);
        }
        // The person typed the address, and nothing proves that it is theirs.
        let typed = (&**email, EmailBy::Person);
        account_store::set_address(&change, &user, typed, caller.operator)
            .await
            .map_err(|error| match unique_violation(&error) {
                true => AuthError::AddressTaken,
                false => error.into(),
            })?;
        let details = serde_json::json!({ "from": user.email, "to": email });
        change.record("account.address_changed", ("user", &about), details);
    }
    let now = store::user_by_id(change.tx(), user.id).await?;
    change.commit().await?;
    now.ok_or(AuthError::UnknownSession)
}

/// Checks that the account may have this address.
async fn may_have(
    state: &AuthContext,
    caller: &Caller,
    user: &user::Model,
    email: &str,
    password: Option<SecretString>,
) -> Result<(), AuthError> {
    if user.auth_subject.is_some() {
        return Err(AuthError::AddressOfIssuer);
    }
    let stored = user.password_hash.clone();
    if stored.is_some() && !is_current(state, caller, password, stored).await? {
        return Err(AuthError::WrongPassword);
    }
    if !caller.operator && belongs_to_an_operator(state, email).await? {
        return Err(AuthError::OperatorsAddress);
    }
    Ok(())
}

/// Stores the picture of the caller, which was re-encoded before.
///
/// # Errors
/// [`AuthError::NotForPrograms`], or the database's.
pub async fn set_picture(
    state: &AuthContext,
    caller: &Caller,
    png: Vec<u8>,
) -> Result<(), AuthError> {
    people_only(caller)?;
    let sha256 = hex::encode(Sha256::digest(&png));
    let version = &sha256[..16];
    let details = serde_json::json!({ "sha256": sha256, "bytes": png.len() });
    let mut change = begin(state, caller).await?;
    account_store::put_picture(&change, caller.user.id, (png, version), change.now()).await?;
    change.record("account.picture_set", ("user", &caller.user.id), details);
    change.commit().await?;
    Ok(())
}

/// Removes the picture of the caller. Without one, nothing changes.
///
/// # Errors
/// [`AuthError::NotForPrograms`], or the database's.
pub async fn remove_picture(state: &AuthContext, caller: &Caller) -> Result<(), AuthError> {
    people_only(caller)?;
    let mut change = begin(state, caller).await?;
    let user = store::user_by_id(change.tx(), caller.user.id).await?;
    if user.is_some_and(|user| user.avatar.is_some()) {
        account_store::remove_picture(&change, caller.user.id).await?;
        let about = ("user", &caller.user.id as &dyn std::fmt::Display);
        change.record("account.picture_removed", about, serde_json::json!({}));
        change.commit().await?;
    }
    Ok(())
}

async fn begin(state: &AuthContext, caller: &Caller) -> Result<Change, AuthError> {
    let scope = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?.scope;
    Ok(Change::begin(state, scope, caller.user.id).await?)
}
