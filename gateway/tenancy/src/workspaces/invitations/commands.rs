//! Inviting, and withdrawing an invitation.

use chrono::TimeDelta;

use super::dto::{DAYS, NewInvitation};
use super::entity::Model;
use super::store;
use crate::auth::{self, Role, Token, WorkspaceScope};
use crate::change::Change;
use crate::mail::{self, Mail};
use crate::workspaces::members::commands::By;
use crate::workspaces::members::model::Refusal;
use crate::workspaces::members::store::take_turn;
use crate::workspaces::{WorkspaceError, WorkspacesContext, store as places};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{InvitationId, fresh};

/// The most invitations of a workspace that may be open at the same time.
const MOST_OPEN: u64 = 200;
/// The most invitations that a person may create within a day, in all workspaces. Each can become an account, and each
/// account can create workspaces.
const MOST_A_DAY: u64 = 100;

/// What a mail about an invitation says.
pub struct Sends<'a> {
    /// The inviter's name.
    pub name: &'a str,
    /// The address of the gateway, with which the link begins.
    pub base: String,
}

/// Creates an invitation, and sends its link to the e-mail that it names, where the gateway sends mail. The returned token
/// is its only other copy.
///
/// # Errors
/// [`WorkspaceError::Refused`] for a role above one's own, [`WorkspaceError::TooManyInvitations`],
/// [`WorkspaceError::TooManyInvitationsToday`].
pub async fn invite(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    by: By,
    sends: Sends<'_>,
    new: NewInvitation,
) -> Result<(Model, Token), WorkspaceError> {
    if new.role > by.role {
        return Err(WorkspaceError::Refused(Refusal::AboveYou));
    }
    let token = Token::fresh("rit_")?;
    let now = state.clock.now();
    let days = new.expires_in_days.unwrap_or(DAYS);
    let row = Model {
        id: fresh(&state.ids),
        workspace_id: scope.workspace(),
        token_sha256: token.sha256(),
        role: new.role.as_str().to_owned(),
        email: new.email.map(|email| email.trim().to_lowercase()),
        invited_by: by.user,
        created_at: now,
        expires_at: now + TimeDelta::days(days.into()),
        accepted_by: None,
        accepted_at: None,
    };
    let mut change = Change::begin(state, scope, by.user).await?;
    let version = take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if store::count(change.tx(), scope, now).await? >= MOST_OPEN {
        return Err(WorkspaceError::TooManyInvitations { most: MOST_OPEN });
    }
    auth::hold_user(&change, by.user).await?;
    if store::made_since(change.tx(), by.user, now - TimeDelta::days(1)).await? >= MOST_A_DAY {
        return Err(WorkspaceError::TooManyInvitationsToday { most: MOST_A_DAY });
    }
    store::insert(change.tx(), row.clone()).await?;
    if let (Some(queue), Some(email)) = (&state.mail, &row.email) {
        let workspace = places::get(change.tx(), scope)
            .await?
            .ok_or(WorkspaceError::NotFound)?;
        let link = format!("{}/invitation#{}", sends.base, token.reveal());
        let names = (sends.name, &*workspace.name);
        let message = Mail::invitation(row.id, email, names, &link);
        mail::queue(&change, &state.ids, now, message).await?;
        change.wake(&queue.nudge);
    }
    let details = serde_json::json!({ "role": row.role, "email": row.email });
    record(&mut change, "invitation.created", row.id, details, version);
    change.commit().await?;
    Ok((row, token))
}

/// Withdraws an invitation. Its link stops working at once.
///
/// # Errors
/// [`WorkspaceError::NoInvitation`] when it does not exist, or was accepted.
pub async fn withdraw(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    by: By,
    id: InvitationId,
) -> Result<(), WorkspaceError> {
    let mut change = Change::begin(state, scope, by.user).await?;
    let version = take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let gone = store::withdraw(change.tx(), scope, id)
        .await?
        .ok_or(WorkspaceError::NoInvitation)?;
    let role = Role::from_stored(&gone.role);
    let details = serde_json::json!({ "role": role.as_str(), "email": gone.email });
    record(&mut change, "invitation.withdrawn", id, details, version);
    change.commit().await?;
    Ok(())
}

fn record(
    change: &mut Change,
    action: &str,
    id: InvitationId,
    details: serde_json::Value,
    version: i64,
) {
    change.record(action, ("invitation", &id), details);
    let workspace = change.scope().workspace();
    change.event(Event::changed(ResourceKind::Workspace, workspace, version));
}
