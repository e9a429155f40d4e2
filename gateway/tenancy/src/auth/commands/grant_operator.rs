//! Granting operation of the deployment, on the gateway's own host (`roost operator grant`). The grant follows an
//! address only to an account that the deployment knows: an account that this command creates, or one that the operator
//! names by its id.

use crate::audit;
use crate::auth::entity::user;
use crate::auth::{AuthError, EmailBy, Role, Token, WorkspaceScope, hosted, store};
use crate::workspaces::{self, MemberRow, WorkspaceRow};
use roost_platform::clock::SharedClock;
use roost_platform::db::{Db, WriteTx};
use roost_platform::ids::{SharedIds, UserId, fresh};

/// What the operator asks for.
#[derive(Debug)]
pub struct Grant {
    /// Lower case.
    pub email: String,
    /// The account that the operator names. It is needed when the account's address is not vouched for.
    pub account: Option<UserId>,
    /// The name of a new account; absent means the part before the `@`.
    pub name: Option<String>,
    /// The role of a new account in the deployment's own workspace.
    pub role: Role,
    /// How long the one-time login of a new account works.
    pub one_time_minutes: u32,
}

/// The result of a grant.
pub enum Granted {
    /// The account operates the deployment now.
    To(user::Model),
    /// There was no account, so one was made.
    ToNew {
        user: user::Model,
        workspace: String,
        login: Token,
    },
    /// Nothing was granted: the account's person typed the address, so the operator must name the account.
    Unconfirmed {
        user: user::Model,
        workspaces: Vec<String>,
    },
    /// Nothing was granted: the named account has another address, or does not exist.
    AnotherAccount,
    /// Nothing was granted: a new account needs the deployment's own workspace, which was deleted.
    NoWorkspace,
}

/// Grants operation to the account of an address. The change and its audit entry are one transaction.
///
/// # Errors
/// When the system has no randomness or the database fails.
pub async fn grant_operator(
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
    grant: Grant,
) -> Result<Granted, AuthError> {
    let now = clock.now();
    let tx = db.write().await?;
    let Some(user) = store::user_by_email(&*tx, &grant.email).await? else {
        if grant.account.is_some() {
            return Ok(Granted::AnotherAccount);
        }
        return make(tx, clock, ids, grant).await;
    };
    if grant.account.is_some_and(|account| account != user.id) {
        return Ok(Granted::AnotherAccount);
    }
    if !user.email_by().is_vouched() {
        if grant.account.is_none() {
            let places = workspaces::of_user(&*tx, user.id).await?;
            let workspaces = places.into_iter().map(|(_, row)| row.name).collect();
            return Ok(Granted::Unconfirmed { user, workspaces });
        }
        store::vouch_by_deployment(&tx, user.id).await?;
    }
    store::grant_operator(&tx, &grant.email, now).await?;
    if let Some(member) = workspaces::first_membership(&*tx, user.id).await? {
        note(&tx, clock, ids, &user, member.workspace_id, false).await?;
    }
    tx.commit().await?;
    Ok(Granted::To(user))
}

async fn make(
    tx: WriteTx,
    clock: &SharedClock,
    ids: &SharedIds,
    grant: Grant,
) -> Result<Granted, AuthError> {
    let Some(home) = home(&tx).await? else {
        return Ok(Granted::NoWorkspace);
    };
    let now = clock.now();
    let local_part = || grant.email.split('@').next().unwrap_or("?").to_owned();
    let vouched = (grant.email.as_str(), EmailBy::Deployment);
    let name = grant.name.clone().unwrap_or_else(local_part);
    let user = user::Model::new(fresh(ids), vouched, name, now);
    store::insert_user(&*tx, user.clone()).await?;
    let membership = MemberRow {
        workspace_id: home.id,
        user_id: user.id,
        role: grant.role.as_str().to_owned(),
        created_at: now,
    };
    workspaces::insert_member(&*tx, membership).await?;
    store::grant_operator(&tx, &grant.email, now).await?;
    note(&tx, clock, ids, &user, home.id, true).await?;
    let login = super::issue_one_time(&tx, clock, ids, user.id, grant.one_time_minutes).await?;
    tx.commit().await?;
    Ok(Granted::ToNew {
        user,
        workspace: home.name,
        login,
    })
}

async fn home(tx: &WriteTx) -> Result<Option<WorkspaceRow>, AuthError> {
    let Some(id) = hosted::store::home(&**tx).await? else {
        return Ok(None);
    };
    Ok(workspaces::find(&**tx, WorkspaceScope::of_row(id)).await?)
}

async fn note(
    tx: &WriteTx,
    clock: &SharedClock,
    ids: &SharedIds,
    user: &user::Model,
    workspace: roost_platform::ids::WorkspaceId,
    new: bool,
) -> Result<(), AuthError> {
    let scope = WorkspaceScope::of_row(workspace);
    let details = serde_json::json!({ "email": user.email, "new_account": new });
    let entity = ("user", &user.id as &(dyn std::fmt::Display + Sync));
    let (now, by, action) = (clock.now(), UserId::SYSTEM, "operator.granted");
    audit::record(tx, ids, now, scope, by, action, entity, details).await?;
    Ok(())
}
