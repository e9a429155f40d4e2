//! Inviting, and withdrawing an invitation.

use chrono::TimeDelta;

use super::dto::{DAYS, NewInvitation};
use super::entity::Model;
use super::store;
use crate::domains::audit;
use crate::domains::auth::{Role, Token, WorkspaceScope};
use crate::domains::workspaces::WorkspaceError;
use crate::domains::workspaces::members::commands::By;
use crate::domains::workspaces::members::model::Refusal;
use crate::domains::workspaces::members::store::take_turn;
use crate::domains::workspaces::routes::WorkspacesState;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{InvitationId, fresh};

/// Invitations that may be open at the same time in a workspace.
const MOST_OPEN: u64 = 200;

/// Makes an invitation; the token is its only copy.
///
/// # Errors
/// [`WorkspaceError::Refused`] for a role above one's own, [`WorkspaceError::TooManyInvitations`].
pub async fn invite(
    state: &WorkspacesState,
    scope: WorkspaceScope,
    by: By,
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
    let mut tx = state.db.write().await?;
    let version = take_turn(&tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if store::count(&*tx, scope, now).await? >= MOST_OPEN {
        return Err(WorkspaceError::TooManyInvitations { most: MOST_OPEN });
    }
    store::insert(&*tx, row.clone()).await?;
    let details = serde_json::json!({ "role": row.role, "email": row.email });
    record(
        state,
        &mut tx,
        scope,
        by,
        ("invitation.created", row.id, details),
        version,
    )
    .await?;
    tx.commit().await?;
    Ok((row, token))
}

/// Withdraws an invitation: its link is dead at once.
///
/// # Errors
/// [`WorkspaceError::NoInvitation`] when it is gone, or somebody came with it.
pub async fn withdraw(
    state: &WorkspacesState,
    scope: WorkspaceScope,
    by: By,
    id: InvitationId,
) -> Result<(), WorkspaceError> {
    let mut tx = state.db.write().await?;
    let version = take_turn(&tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let gone = store::withdraw(&*tx, scope, id)
        .await?
        .ok_or(WorkspaceError::NoInvitation)?;
    let role = Role::from_stored(&gone.role);
    let details = serde_json::json!({ "role": role.as_str(), "email": gone.email });
    record(
        state,
        &mut tx,
        scope,
        by,
        ("invitation.withdrawn", id, details),
        version,
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

async fn record(
    state: &WorkspacesState,
    tx: &mut crate::db::WriteTx,
    scope: WorkspaceScope,
    by: By,
    (action, id, details): (&str, InvitationId, serde_json::Value),
    version: i64,
) -> Result<(), WorkspaceError> {
    let now = state.clock.now();
    let entity = ("invitation", &id as &(dyn std::fmt::Display + Sync));
    audit::record(tx, &state.ids, now, scope, by.user, action, entity, details).await?;
    let fact = Event::changed(ResourceKind::Workspace, scope.workspace(), version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}
