//! Changing a member's role, and removing a member: row, sessions, audit entry and event in one transaction.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::model;
use super::store;
use crate::auth::{self, Role, WorkspaceScope};
use crate::change::Change;
use crate::workspaces::entity::member;
use crate::workspaces::{Departures, WorkspaceError, WorkspacesContext};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;

/// The member that asks for a change.
#[derive(Debug, Clone, Copy)]
pub struct By {
    pub user: UserId,
    pub role: Role,
}

/// Gives a member another role.
///
/// # Errors
/// [`WorkspaceError::NoMember`], [`WorkspaceError::Refused`].
pub async fn change_role(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    by: By,
    user: UserId,
    to: Role,
) -> Result<member::Model, WorkspaceError> {
    change(state, scope, by, user, Some(to)).await
}

/// Removes a member. The agents that they managed go to the member that removed them. If the member leaves, the agents
/// go to the Owner with the longest membership.
///
/// # Errors
/// As [`change_role`].
pub async fn remove(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    by: By,
    user: UserId,
) -> Result<(), WorkspaceError> {
    change(state, scope, by, user, None).await?;
    Ok(())
}

async fn change(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    by: By,
    user: UserId,
    to: Option<Role>,
) -> Result<member::Model, WorkspaceError> {
    let mut change = Change::begin(state, scope, by.user).await?;
    let version = store::take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    // Read again after the turn was taken: the caller's own role may have changed in the meantime.
    let asking = store::get(change.tx(), scope, by.user)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let mut row = store::get(change.tx(), scope, user)
        .await?
        .ok_or(WorkspaceError::NoMember)?;
    let from = Role::from_stored(&row.role);
    model::check(model::Change {
        by: by.role.min(Role::from_stored(&asking.role)),
        own: by.user == user,
        from,
        to,
        owners: store::owners(change.tx(), scope).await?,
    })
    .map_err(WorkspaceError::Refused)?;
    if to == Some(from) {
        return Ok(row);
    }
    change.event(Event::changed(
        ResourceKind::Workspace,
        scope.workspace(),
        version,
    ));
    let (action, details) = match to {
        Some(to) => {
            store::set_role(&change, scope, user, to).await?;
            row.role = to.as_str().to_owned();
            let details = serde_json::json!({ "from": from.as_str(), "to": to.as_str() });
            ("member.role_changed", details)
        }
        None => {
            let left = by.user == user;
            let heir = if left {
                store::first_owner(change.tx(), scope)
                    .await?
                    .unwrap_or(by.user)
            } else {
                by.user
            };
            let now = change.now();
            let handed = take_out(&*state.departures, &change, scope, user, heir, now).await?;
            let agents = handed.len();
            change.events(handed);
            change.wake(state.streams.nudge());
            let details = serde_json::json!({
                "role": from.as_str(),
                "left": left,
                "agents": agents,
                "agents_to": heir,
            });
            ("member.removed", details)
        }
    };
    change.record(action, ("user", &user), details);
    change.commit().await?;
    Ok(row)
}

/// Removes a member within a transaction: membership, tokens, and their agents, which go to `heir`. The caller holds
/// the workspace's turn, and writes the audit entry. Returns the events of the changed agents.
///
/// # Errors
/// When the database fails.
pub async fn take_out(
    departures: &dyn Departures,
    tx: &WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    heir: UserId,
    now: DateTime<Utc>,
) -> Result<Vec<Event>, DbErr> {
    store::remove(tx, scope, user).await?;
    auth::leave_workspace(tx, user, scope.workspace()).await?;
    departures.leave(tx, scope, user, heir, now).await
}
