//! Changing the name, the address or the picture of the caller's own account.

use chrono::TimeDelta;
use secrecy::SecretString;
use sha2::{Digest, Sha256};

use super::accept_invitation::belongs_to_an_operator;
use super::current_password::is_current;
use super::open_session::{Origin, people_only};
use super::sign_in::count_attempt;
use crate::auth::{
    AuthContext, AuthError, Caller, EmailBy, Token, WorkspaceScope, account_store,
    entity::{session, user},
    sha256_hex, store,
};
use crate::change::Change;
use crate::mail::{self, Mail, Purpose};
use crate::workspaces;
use roost_platform::db::{WriteTx, unique_violation};

/// What a person changes.
pub struct AccountChange {
    /// Trimmed.
    pub name: Option<String>,
    /// Lower case.
    pub email: Option<String>,
    /// The present password. A new address needs it when the account has one.
    pub password: Option<SecretString>,
    /// Whether the person gets mail about runs.
    pub notices: Option<bool>,
}

/// How long the link for a new address works.
const LINK_HOURS: i64 = 24;
/// The most mails about new addresses of a person within a day. Each goes to an address that the person chose.
const MOST_WISHES: u64 = 10;

/// Changes the caller's account. Returns it as it is now. Where the gateway sends mail, a new address is used when the
/// person has opened its link. `base` is the address of the gateway, with which the link begins.
///
/// # Errors
/// [`AuthError::WrongPassword`], [`AuthError::AddressTaken`], [`AuthError::OperatorsAddress`],
/// [`AuthError::AddressOfIssuer`], [`AuthError::NotForPrograms`], or an internal error.
pub async fn change_account(
    state: &AuthContext,
    caller: &Caller,
    wanted: AccountChange,
    base: &str,
) -> Result<user::Model, AuthError> {
    // Another gateway may have changed the account since the caller was identified: what decides is read now.
    let token = &people_only(caller)?.token_sha256;
    let (session, user) = store::session_by_token(state.db.read(), token)
        .await?
        .ok_or(AuthError::UnknownSession)?;
    let scope = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?.scope;
    let takes_back = user.pending_email.is_some() && wanted.email.as_ref() == Some(&user.email);
    let email = wanted.email.filter(|email| *email != user.email);
    if let Some(email) = &email {
        may_have(state, caller, (&session, &user), email, wanted.password).await?;
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
        match &state.mail {
            Some(queue) => {
                let day_ago = change.now() - TimeDelta::days(1);
                if mail::address_wishes(change.tx(), about, day_ago).await? >= MOST_WISHES {
                    return Err(AuthError::TooManyAttempts {
                        retry_after_s: 3_600,
                    });
                }
                let token = Token::fresh("rem_")?;
                let until = change.now() + TimeDelta::hours(LINK_HOURS);
                let sha256 = token.sha256();
                account_store::set_pending(&change, about, Some((email, &sha256, until))).await?;
                let purpose = Purpose::Address {
                    user: about,
                    token_sha256: sha256,
                };
                let link = format!("{base}/confirm-address#{}", token.reveal());
                let message = Mail::address(purpose, email, &user.name, &link);
                mail::queue(&change, &state.ids, change.now(), message).await?;
                change.wake(&queue.nudge);
                let details = serde_json::json!({ "to": email });
                change.record("account.address_wanted", ("user", &about), details);
            }
            None => use_address(&mut change, &user, email, caller.operator).await?,
        }
    }
    if takes_back {
        account_store::set_pending(&change, about, None).await?;
    }
    if let Some(notices) = wanted.notices
        && notices != user.mail_notices_at.is_some()
    {
        let since = notices.then(|| change.now());
        account_store::set_notices(&change, about, since).await?;
        let details = serde_json::json!({ "on": notices });
        change.record("account.notices_set", ("user", &about), details);
    }
    let now = store::user_by_id(change.tx(), user.id).await?;
    change.commit().await?;
    now.ok_or(AuthError::UnknownSession)
}

/// Gives the account the address. The person typed it, or opened a link that was sent there; no operator of the deployment
/// and no issuer vouches for it.
async fn use_address(
    change: &mut Change,
    user: &user::Model,
    email: &str,
    operates: bool,
) -> Result<(), AuthError> {
    account_store::set_address(change, user, (email, EmailBy::Person), operates)
        .await
        .map_err(|error| match unique_violation(&error) {
            true => AuthError::AddressTaken,
            false => error.into(),
        })?;
    let details = serde_json::json!({ "from": user.email, "to": email });
    change.record("account.address_changed", ("user", &user.id), details);
    Ok(())
}

/// A person opened the link that was sent to a new address. Returns the address.
///
/// # Errors
/// [`AuthError::UnknownAddressLink`], [`AuthError::AddressTaken`], [`AuthError::TooManyAttempts`], or an internal error.
pub async fn confirm_address(
    state: &AuthContext,
    token: &str,
    from: &Origin,
) -> Result<String, AuthError> {
    let hash = sha256_hex(token.trim());
    let tx = state.db.write().await?;
    let found = account_store::by_pending(&*tx, &hash, state.clock.now()).await?;
    let Some((user, email)) = found.and_then(|user| Some((user.clone(), user.pending_email?)))
    else {
        count_attempt(state, None, from.address)?;
        return Err(AuthError::UnknownAddressLink);
    };
    let member = workspaces::first_membership(&*tx, user.id)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    let operates = operates(state, &tx, &user).await?;
    if !operates && belongs_to_an_operator(state, &email).await? {
        return Err(AuthError::OperatorsAddress);
    }
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let mut change = Change::within(state, tx, scope, user.id);
    use_address(&mut change, &user, &email, operates).await?;
    account_store::set_pending(&change, user.id, None).await?;
    change.commit().await?;
    Ok(email)
}

/// Whether an account operates the deployment, by itself or by its address.
pub(super) async fn operates(
    state: &AuthContext,
    tx: &WriteTx,
    user: &user::Model,
) -> Result<bool, AuthError> {
    let configured = state.operators.contains(&user.email);
    let by_address = configured || store::is_granted(&**tx, &user.email).await?;
    Ok(user.operates || user.email_by().is_vouched() && by_address)
}

/// Checks that the account may have this address.
async fn may_have(
    state: &AuthContext,
    caller: &Caller,
    (session, user): (&session::Model, &user::Model),
    email: &str,
    password: Option<SecretString>,
) -> Result<(), AuthError> {
    if user.auth_subject.is_some() {
        return Err(AuthError::AddressOfIssuer);
    }
    let stored = user.password_hash.clone();
    if stored.is_some() && !is_current(state, caller, session, password, stored).await? {
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
