//! Making a session row, for a sign-in or for a machine.

use std::net::IpAddr;
use std::time::Duration;

use chrono::TimeDelta;

use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::entity::session;
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, Token, WorkspaceScope, store};
use crate::ids::{UserId, WorkspaceId, fresh};

/// The kind of a program's session.
pub(super) const API: &str = "api";

pub(in crate::domains::auth) struct NewSession<'a> {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub kind: &'a str,
    pub label: Option<String>,
    pub set_password_without_current: bool,
    /// Where somebody signs in; absent for a program's token, which is used from wherever it is kept.
    pub from: Option<&'a Origin>,
    /// Sooner than the absolute end.
    pub lifetime: Option<Duration>,
}

/// Where somebody signs in.
#[derive(Debug, Clone)]
pub struct Origin {
    pub address: IpAddr,
    /// What the browser calls itself.
    pub device: Option<String>,
}

/// Bytes of what a browser calls itself that are kept.
const DEVICE: usize = 200;

pub(in crate::domains::auth) async fn insert(
    state: &AuthState,
    tx: &WriteTx,
    new: NewSession<'_>,
) -> Result<(session::Model, Token), AuthError> {
    // A leaked token shows by its first letters what it is, to people and to scanners.
    let token = Token::fresh(if new.kind == API { "rat_" } else { "rst_" })?;
    let now = state.clock.now();
    let lifetime = new.lifetime.unwrap_or(state.absolute).min(state.absolute);
    let lifetime = TimeDelta::from_std(lifetime).unwrap_or(TimeDelta::days(90));
    let device = new.from.and_then(|from| from.device.as_deref());
    let row = session::Model {
        id: fresh(&state.ids),
        user_id: new.user,
        workspace_id: new.workspace,
        token_sha256: token.sha256(),
        kind: new.kind.to_owned(),
        label: new.label,
        from_address: new.from.map(|from| from.address.to_string()),
        device: device.map(|device| roost_protocol::text::clean(device, DEVICE)),
        set_password_without_current: new.set_password_without_current,
        created_at: now,
        last_seen_at: now,
        expires_at: now + lifetime,
    };
    store::insert_session(&**tx, row.clone()).await?;
    Ok((row, token))
}

/// A session for a program of the caller, in the workspace of the request. Only a person may make one: a token that was
/// stolen must not be able to make itself a successor.
///
/// # Errors
/// When the caller is a program or belongs to no workspace, or the database fails.
pub async fn open_api_session(
    state: &AuthState,
    caller: &Caller,
    label: String,
    days: Option<u32>,
) -> Result<(session::Model, Token), AuthError> {
    people_only(caller)?;
    let lifetime = days.map(|days| Duration::from_secs(u64::from(days) * 86_400));
    if lifetime.is_some_and(|lifetime| lifetime > state.absolute) {
        let most_days = state.absolute.as_secs() / 86_400;
        return Err(AuthError::LivesTooLong { most_days });
    }
    let member = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?;
    let scope: WorkspaceScope = member.scope;
    let tx = state.db.write().await?;
    let new = NewSession {
        user: caller.user.id,
        workspace: scope.workspace(),
        kind: API,
        label: Some(label),
        set_password_without_current: false,
        from: None,
        lifetime,
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
        "token.created",
        entity,
        details,
    )
    .await?;
    tx.commit().await?;
    Ok((row, token))
}

/// The session of a person. Refuses programs, and tokens of an issuer, of which nobody knows who holds them.
pub(in crate::domains::auth) fn people_only(caller: &Caller) -> Result<&session::Model, AuthError> {
    let session = caller.session().filter(|session| session.kind != API);
    session.ok_or(AuthError::NotForPrograms)
}
