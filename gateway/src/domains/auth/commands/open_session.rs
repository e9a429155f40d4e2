//! Making a session row, for a sign-in or for a machine.

use chrono::TimeDelta;

use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::entity::session;
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, Token, WorkspaceScope, store};
use crate::ids::{UserId, WorkspaceId, fresh};

pub(super) struct NewSession<'a> {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub kind: &'a str,
    pub label: Option<String>,
    pub set_password_without_current: bool,
}

pub(super) async fn insert(
    state: &AuthState,
    tx: &WriteTx,
    new: NewSession<'_>,
) -> Result<(session::Model, Token), AuthError> {
    let token = Token::fresh("rst_")?;
    let now = state.clock.now();
    let lifetime = TimeDelta::from_std(state.absolute).unwrap_or(TimeDelta::days(90));
    let row = session::Model {
        id: fresh(&state.ids),
        user_id: new.user,
        workspace_id: new.workspace,
        token_sha256: token.sha256(),
        kind: new.kind.to_owned(),
        label: new.label,
        set_password_without_current: new.set_password_without_current,
        created_at: now,
        last_seen_at: now,
        expires_at: now + lifetime,
    };
    store::insert_session(&**tx, row.clone()).await?;
    Ok((row, token))
}

/// A session for a program of the caller, in the workspace of the request.
///
/// # Errors
/// When the caller belongs to no workspace, or the database fails.
pub async fn open_api_session(
    state: &AuthState,
    caller: &Caller,
    label: String,
) -> Result<(session::Model, Token), AuthError> {
    let member = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?;
    let scope: WorkspaceScope = member.scope;
    let tx = state.db.write().await?;
    let new = NewSession {
        user: caller.user.id,
        workspace: scope.workspace(),
        kind: "api",
        label: Some(label),
        set_password_without_current: false,
    };
    let (row, token) = insert(state, &tx, new).await?;
    let details = serde_json::json!({ "label": row.label });
    let entity = ("session", &row.id as &(dyn std::fmt::Display + Sync));
    audit::record(
        &tx,
        &state.ids,
        row.created_at,
        scope,
        caller.user.id,
        "session.opened",
        entity,
        details,
    )
    .await?;
    tx.commit().await?;
    Ok((row, token))
}
