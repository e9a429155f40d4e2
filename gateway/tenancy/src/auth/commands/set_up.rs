//! Setting up a deployment: its Owner takes over the account of the first start, with a one-time login from the gateway's
//! host.

use secrecy::{ExposeSecret, SecretString};

use super::change_account::operates;
use super::open_session::Origin;
use super::sign_in::{Fresh, count_attempt, open_in};
use crate::auth::entity::user;
use crate::auth::{
    AuthContext, AuthError, EmailBy, WorkspaceScope, account_store, sha256_hex, store,
};
use crate::change::Change;
use crate::workspaces;
use roost_platform::db::{WriteTx, unique_violation};

/// Who the Owner is.
pub struct SetUp {
    /// From the gateway's host.
    pub one_time: SecretString,
    /// Trimmed.
    pub name: String,
    /// Lower case.
    pub email: String,
    pub password: SecretString,
}

/// Gives the Owner's account its name, address and password, and signs the Owner in. It works while the Owner has no
/// password.
///
/// # Errors
/// [`AuthError::SetUpAlready`], [`AuthError::InvalidCredentials`], [`AuthError::TooManyAttempts`],
/// [`AuthError::AddressTaken`], or an internal error.
pub async fn set_up(state: &AuthContext, wanted: SetUp, from: &Origin) -> Result<Fresh, AuthError> {
    count_attempt(state, None, from.address)?;
    open_account(account_store::deployment_owner(state.db.read()).await?)?;
    let hash = state.passwords.hash(wanted.password).await?;
    let tx = state.db.write().await?;
    let one_time = sha256_hex(wanted.one_time.expose_secret().trim());
    let whose = store::take_one_time(&*tx, &one_time, state.clock.now())
        .await?
        .ok_or(AuthError::InvalidCredentials)?;
    // Another request may have set it up in the meantime.
    let owner = open_account(account_store::deployment_owner(&*tx).await?)?;
    if whose != owner.id {
        return Err(AuthError::InvalidCredentials);
    }
    let member = workspaces::first_membership(&*tx, owner.id)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    account_store::set_name(&tx, owner.id, &wanted.name).await?;
    take_address(state, &tx, &owner, &wanted.email).await?;
    store::set_password(&tx, owner.id, hash).await?;
    account_store::forget_one_time_of(&*tx, owner.id).await?;
    let owner = store::user_by_id(&*tx, owner.id)
        .await?
        .ok_or(AuthError::InvalidCredentials)?;
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let mut change = Change::within(state, tx, scope, owner.id);
    let details = serde_json::json!({ "email": owner.email });
    change.record("deployment.set_up", ("user", &owner.id), details);
    open_in(state, change, owner, false, from).await
}

/// The Owner's account, while it has no password.
fn open_account(owner: Option<user::Model>) -> Result<user::Model, AuthError> {
    owner
        .filter(|owner| owner.password_hash.is_none())
        .ok_or(AuthError::SetUpAlready)
}

/// Gives the Owner the address. The person with a one-time login of the gateway's host speaks for the deployment. Rights
/// to operate it stay with the account.
async fn take_address(
    state: &AuthContext,
    tx: &WriteTx,
    owner: &user::Model,
    email: &str,
) -> Result<(), AuthError> {
    if owner.email == email {
        return Ok(());
    }
    if store::user_by_email(&**tx, email).await?.is_some() {
        return Err(AuthError::AddressTaken);
    }
    let operates = operates(state, tx, owner).await?;
    let address = (email, EmailBy::Deployment);
    account_store::set_address(tx, owner, address, operates)
        .await
        .map_err(|error| match unique_violation(&error) {
            true => AuthError::AddressTaken,
            false => error.into(),
        })
}
