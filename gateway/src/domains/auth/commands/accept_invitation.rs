//! Coming by an invitation's link: somebody who is signed in joins; somebody who is not names an e-mail and a password,
//! and either that is their account, or one is made.

use secrecy::SecretString;

use super::open_session::{NewSession, Origin, insert};
use super::sign_in::{by_password, count_attempt};
use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::entity::{session, user};
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, Role, Token, WorkspaceScope, sha256_hex, store};
use crate::domains::workspaces;
use crate::domains::workspaces::entity::{member, workspace};
use crate::domains::workspaces::invitations::{entity as invitation, store as invitations};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{UserId, fresh};

/// Who comes.
pub enum Person<'a> {
    /// Signed in.
    Known(&'a Caller),
    /// Not signed in; has an account with this e-mail and password, or gets one.
    Stranger {
        email: String,
        name: Option<String>,
        password: SecretString,
    },
}

/// They are a member now.
pub struct Accepted {
    pub user: user::Model,
    pub role: Role,
    pub workspace: workspace::Model,
    /// For somebody who was not signed in.
    pub session: Option<(session::Model, Token)>,
}

/// Where a link leads, for whoever holds it.
///
/// # Errors
/// [`AuthError::UnknownInvitation`], [`AuthError::TooManyAttempts`].
pub async fn look_at_invitation(
    state: &AuthState,
    token: &str,
    from: &Origin,
) -> Result<(invitation::Model, workspace::Model, user::Model), AuthError> {
    let found = find(state, token, from).await?;
    let db = state.db.read();
    let scope = WorkspaceScope::of_row(found.workspace_id);
    let workspace = workspaces::store::get(db, scope).await?;
    let inviter = store::user_by_id(db, found.invited_by).await?;
    match (workspace, inviter) {
        (Some(workspace), Some(inviter)) => Ok((found, workspace, inviter)),
        _ => Err(AuthError::UnknownInvitation),
    }
}

/// Takes the invitation. Membership, account, session, audit entry and event are one transaction.
///
/// # Errors
/// [`AuthError::UnknownInvitation`], [`AuthError::ForSomebodyElse`], [`AuthError::MemberAlready`], or as a sign-in.
pub async fn accept_invitation(
    state: &AuthState,
    token: &str,
    person: Person<'_>,
    from: &Origin,
) -> Result<Accepted, AuthError> {
    let found = find(state, token, from).await?;
    let email = match &person {
        Person::Known(caller) => caller.user.email.clone(),
        Person::Stranger { email, .. } => email.trim().to_lowercase(),
    };
    if found.email.as_ref().is_some_and(|wanted| *wanted != email) {
        return Err(AuthError::ForSomebodyElse);
    }
    let coming = match person {
        Person::Known(caller) => Coming::Known(caller),
        Person::Stranger { name, password, .. } => {
            identified(state, email, name, password, from).await?
        }
    };
    join(state, found, coming, from).await
}

/// Counted like a sign-in that fails: links must not be guessed. A good one gives the try back only by time.
async fn find(
    state: &AuthState,
    token: &str,
    from: &Origin,
) -> Result<invitation::Model, AuthError> {
    let hash = sha256_hex(token.trim());
    let found = invitations::by_token(state.db.read(), &hash, state.clock.now()).await?;
    match found {
        Some(found) => Ok(found),
        None => {
            count_attempt(state, None, from.address)?;
            Err(AuthError::UnknownInvitation)
        }
    }
}

enum Coming<'a> {
    Known(&'a Caller),
    /// Not signed in, but proved whose account it is.
    Returning(user::Model),
    New(user::Model),
}

async fn identified(
    state: &AuthState,
    email: String,
    name: Option<String>,
    password: SecretString,
    from: &Origin,
) -> Result<Coming<'static>, AuthError> {
    count_attempt(state, Some(&email), from.address)?;
    let coming = if store::user_by_email(state.db.read(), &email)
        .await?
        .is_some()
    {
        Coming::Returning(by_password(state, &email, password).await?)
    } else {
        let called = name.unwrap_or_else(|| email.split('@').next().unwrap_or("?").to_owned());
        Coming::New(user::Model {
            id: fresh(&state.ids),
            name: called.trim().to_owned(),
            password_hash: Some(state.passwords.hash(password).await?),
            created_at: state.clock.now(),
            email: email.clone(),
            auth_subject: None,
            hosted_role: None,
            hosted_at: None,
        })
    };
    state.throttle.succeeded(&email);
    Ok(coming)
}

async fn join(
    state: &AuthState,
    found: invitation::Model,
    coming: Coming<'_>,
    from: &Origin,
) -> Result<Accepted, AuthError> {
    let now = state.clock.now();
    let scope = WorkspaceScope::of_row(found.workspace_id);
    let mut tx = state.db.write().await?;
    let version = workspaces::members::store::take_turn(&tx, scope)
        .await?
        .ok_or(AuthError::UnknownInvitation)?;
    let (user, signed_in, new) = match coming {
        Coming::Known(caller) => (caller.user.clone(), Some(caller), false),
        Coming::Returning(user) => (user, None, false),
        Coming::New(user) => (user, None, true),
    };
    if new {
        let inserted = store::insert_user(&*tx, user.clone()).await;
        // Somebody took the e-mail since we looked: their password decides, so try again.
        inserted.map_err(|error| match crate::db::unique_violation(&error) {
            true => AuthError::InvalidCredentials,
            false => error.into(),
        })?;
    }
    if store::membership(&*tx, user.id, scope.workspace())
        .await?
        .is_some()
    {
        return Err(AuthError::MemberAlready);
    }
    if !invitations::accept(&*tx, found.id, user.id, now).await? {
        return Err(AuthError::UnknownInvitation);
    }
    let role = Role::from_stored(&found.role);
    let membership = member::Model {
        workspace_id: scope.workspace(),
        user_id: user.id,
        role: role.as_str().to_owned(),
        created_at: now,
    };
    workspaces::store::insert_member(&*tx, membership).await?;
    let session = match signed_in {
        Some(caller) => {
            if let Some(session) = caller.session() {
                store::switch_session(&*tx, session.id, scope.workspace()).await?;
            }
            None
        }
        None => Some(open(state, &tx, user.id, scope, from).await?),
    };
    note(state, &mut tx, scope, &found, user.id, new, version).await?;
    let workspace = workspaces::store::get(&*tx, scope)
        .await?
        .ok_or(AuthError::UnknownInvitation)?;
    tx.commit().await?;
    Ok(Accepted {
        user,
        role,
        workspace,
        session,
    })
}

async fn open(
    state: &AuthState,
    tx: &WriteTx,
    user: UserId,
    scope: WorkspaceScope,
    from: &Origin,
) -> Result<(session::Model, Token), AuthError> {
    let new = NewSession {
        user,
        workspace: scope.workspace(),
        kind: "login",
        label: None,
        set_password_without_current: false,
        from: Some(from),
        lifetime: None,
    };
    insert(state, tx, new).await
}

async fn note(
    state: &AuthState,
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    found: &invitation::Model,
    user: UserId,
    new: bool,
    version: i64,
) -> Result<(), AuthError> {
    let now = state.clock.now();
    let details = serde_json::json!({
        "role": found.role,
        "invitation": found.id,
        "invited_by": found.invited_by,
        "new_account": new,
    });
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        "member.joined",
        ("user", &user),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Workspace, scope.workspace(), version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}
