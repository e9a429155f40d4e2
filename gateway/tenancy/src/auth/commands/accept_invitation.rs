//! Accepting an invitation's link. A signed-in person joins the workspace. Any other person gives an e-mail and a
//! password: they belong to an existing account, or the gateway creates one.

use secrecy::SecretString;

use super::open_session::{NewSession, Origin, insert, not_by_program};
use super::sign_in::{by_password, count_attempt, counted};
use crate::auth::entity::{session, user};
use crate::auth::{
    AuthContext, AuthError, Caller, EmailBy, Role, Token, WorkspaceScope, sha256_hex, store,
};
use crate::change::Change;
use crate::workspaces::invitations::{self, InvitationRow};
use crate::workspaces::{self, MemberRow, WorkspaceRow, members};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{UserId, fresh};

/// The person that accepts.
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

/// The person is a member now.
pub struct Accepted {
    pub user: user::Model,
    pub role: Role,
    pub workspace: WorkspaceRow,
    /// Present for a person that was not signed in.
    pub session: Option<(session::Model, Token)>,
}

/// Reads where a link leads. The link is the only authority that this needs.
///
/// # Errors
/// [`AuthError::UnknownInvitation`], [`AuthError::TooManyAttempts`].
pub async fn look_at_invitation(
    state: &AuthContext,
    token: &str,
    from: &Origin,
) -> Result<(InvitationRow, WorkspaceRow, user::Model), AuthError> {
    let found = find(state, token, from).await?;
    let db = state.db.read();
    let scope = WorkspaceScope::of_row(found.workspace_id);
    let workspace = workspaces::find(db, scope).await?;
    let inviter = store::user_by_id(db, found.invited_by).await?;
    match (workspace, inviter) {
        (Some(workspace), Some(inviter)) => Ok((found, workspace, inviter)),
        _ => Err(AuthError::UnknownInvitation),
    }
}

/// Accepts the invitation. Membership, account, session, audit entry and event are one transaction.
///
/// # Errors
/// [`AuthError::UnknownInvitation`], [`AuthError::ForSomebodyElse`], [`AuthError::MemberAlready`],
/// [`AuthError::OperatorsAddress`], or the errors of a sign-in.
pub async fn accept_invitation(
    state: &AuthContext,
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
        Person::Known(caller) => {
            not_by_program(caller)?;
            Invitee::Known(caller)
        }
        Person::Stranger { name, password, .. } => {
            identified(state, email, name, password, from).await?
        }
    };
    join(state, found, coming, from).await
}

/// Counts an attempt as a failed sign-in, so that links cannot be guessed. A valid link does not clear the count; the
/// count drains with time.
async fn find(state: &AuthContext, token: &str, from: &Origin) -> Result<InvitationRow, AuthError> {
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

enum Invitee<'a> {
    Known(&'a Caller),
    /// The person was not signed in, but proved which account is theirs.
    Returning(user::Model),
    New(user::Model),
}

async fn identified(
    state: &AuthContext,
    email: String,
    name: Option<String>,
    password: SecretString,
    from: &Origin,
) -> Result<Invitee<'static>, AuthError> {
    counted(
        state,
        &email,
        from,
        proved(state, &email, name, password, from),
    )
    .await
}

async fn proved(
    state: &AuthContext,
    email: &str,
    name: Option<String>,
    password: SecretString,
    from: &Origin,
) -> Result<Invitee<'static>, AuthError> {
    let coming = if store::user_by_email(state.db.read(), email)
        .await?
        .is_some()
    {
        Invitee::Returning(by_password(state, email, password, from).await?)
    } else if belongs_to_an_operator(state, email).await? {
        return Err(AuthError::OperatorsAddress);
    } else {
        let called = name.unwrap_or_else(|| email.split('@').next().unwrap_or("?").to_owned());
        let hash = state.passwords.hash(password).await?;
        // The person typed the address, and nothing proves that it is theirs.
        let typed = (email, EmailBy::Person);
        let now = state.clock.now();
        Invitee::New(user::Model {
            password_hash: Some(hash),
            ..user::Model::new(fresh(&state.ids), typed, called.trim(), now)
        })
    };
    Ok(coming)
}

/// Only the deployment makes an account with an operator's address.
pub(super) async fn belongs_to_an_operator(
    state: &AuthContext,
    email: &str,
) -> Result<bool, AuthError> {
    Ok(state.operators.iter().any(|operator| operator == email)
        || store::is_granted(state.db.read(), email).await?)
}

async fn join(
    state: &AuthContext,
    found: InvitationRow,
    coming: Invitee<'_>,
    from: &Origin,
) -> Result<Accepted, AuthError> {
    let scope = WorkspaceScope::of_row(found.workspace_id);
    let (user, signed_in, new) = match coming {
        Invitee::Known(caller) => (caller.user.clone(), Some(caller), false),
        Invitee::Returning(user) => (user, None, false),
        Invitee::New(user) => (user, None, true),
    };
    let mut change = Change::begin(state, scope, user.id).await?;
    let now = change.now();
    let version = members::take_turn(&change, scope)
        .await?
        .ok_or(AuthError::UnknownInvitation)?;
    if new {
        let inserted = store::insert_user(change.tx(), user.clone()).await;
        // Another request took the e-mail in the meantime. The password of that account decides, so the person must
        // try again.
        inserted.map_err(|error| match roost_platform::db::unique_violation(&error) {
            true => AuthError::InvalidCredentials,
            false => error.into(),
        })?;
    }
    if workspaces::membership(change.tx(), user.id, scope.workspace())
        .await?
        .is_some()
    {
        return Err(AuthError::MemberAlready);
    }
    if !invitations::accept(change.tx(), found.id, user.id, now).await? {
        return Err(AuthError::UnknownInvitation);
    }
    let role = Role::from_stored(&found.role);
    let membership = MemberRow {
        workspace_id: scope.workspace(),
        user_id: user.id,
        role: role.as_str().to_owned(),
        created_at: now,
    };
    workspaces::insert_member(change.tx(), membership).await?;
    let session = match signed_in {
        Some(caller) => {
            if let Some(session) = caller.session() {
                store::switch_session(&change, session.id, scope.workspace()).await?;
            }
            None
        }
        None => Some(open(state, &change, user.id, scope, from).await?),
    };
    note(&mut change, &found, new, version);
    let workspace = workspaces::find(change.tx(), scope)
        .await?
        .ok_or(AuthError::UnknownInvitation)?;
    change.commit().await?;
    Ok(Accepted {
        user,
        role,
        workspace,
        session,
    })
}

async fn open(
    state: &AuthContext,
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
        by_issuer: false,
        scopes: None,
    };
    insert(state, tx, new).await
}

fn note(change: &mut Change, found: &InvitationRow, new: bool, version: i64) {
    let details = serde_json::json!({
        "role": found.role,
        "invitation": found.id,
        "invited_by": found.invited_by,
        "new_account": new,
    });
    let (user, workspace) = (change.actor(), change.scope().workspace());
    change.record("member.joined", ("user", &user), details);
    change.event(Event::changed(ResourceKind::Workspace, workspace, version));
}
