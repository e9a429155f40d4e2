//! Creating a session row, for a sign-in or for a machine.

use std::net::IpAddr;
use std::time::Duration;

use chrono::TimeDelta;

use crate::auth::entity::session;
use crate::auth::{AuthContext, AuthError, Caller, Scopes, Token, WorkspaceScope, store};
use crate::change::Change;
use roost_platform::db::WriteTx;
use roost_platform::ids::{UserId, WorkspaceId, fresh};

/// The kind of a program's session.
pub(super) const API: &str = "api";

/// The most tokens of programs that a person may have at once.
const MOST_TOKENS: u64 = 50;
/// The most sign-ins that a person may have at once. One more ends the one that was unused longest.
const MOST_SIGN_INS: u64 = 100;

pub(in crate::auth) struct NewSession<'a> {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub kind: &'a str,
    pub label: Option<String>,
    pub set_password_without_current: bool,
    /// Where the person signs in. Absent for a program's token, which is not tied to one place.
    pub from: Option<&'a Origin>,
    /// The session ends after this time, if that is sooner than the absolute end.
    pub lifetime: Option<Duration>,
    /// The session rests on the issuer's word.
    pub by_issuer: bool,
    /// What a program's token may do at most.
    pub scopes: Option<Scopes>,
}

/// The place of a sign-in.
#[derive(Debug, Clone)]
pub struct Origin {
    pub address: IpAddr,
    /// The browser's name for itself.
    pub device: Option<String>,
    /// The hash of the device cookie of a browser that signed in before: see
    /// [`devices`](crate::auth::devices).
    pub known_as: Option<String>,
    /// The page signs in, not a program. Programs keep no cookie, so the gateway does not remember them.
    pub by_page: bool,
}

/// The most bytes of the browser's name that are kept.
const DEVICE: usize = 200;

impl Origin {
    /// The browser's name for itself, cleaned and cut, as rows keep it.
    pub(in crate::auth) fn kept_device(&self) -> Option<String> {
        let device = self.device.as_deref();
        device.map(|device| roost_protocol::text::clean(device, DEVICE))
    }
}

pub(in crate::auth) async fn insert(
    state: &AuthContext,
    tx: &WriteTx,
    new: NewSession<'_>,
) -> Result<(session::Model, Token), AuthError> {
    // The first letters of a leaked token show people and scanners what it is.
    let token = Token::fresh(if new.kind == API { "rat_" } else { "rst_" })?;
    let now = state.clock.now();
    let lifetime = new.lifetime.unwrap_or(state.absolute).min(state.absolute);
    let lifetime = TimeDelta::from_std(lifetime).unwrap_or(TimeDelta::days(90));
    let row = session::Model {
        id: fresh(&state.ids),
        user_id: new.user,
        workspace_id: new.workspace,
        token_sha256: token.sha256(),
        kind: new.kind.to_owned(),
        label: new.label,
        from_address: new.from.map(|from| from.address.to_string()),
        device: new.from.and_then(Origin::kept_device),
        set_password_without_current: new.set_password_without_current,
        by_issuer: new.by_issuer,
        scopes: new.scopes.as_ref().map(Scopes::to_stored),
        created_at: now,
        last_seen_at: now,
        expires_at: now + lifetime,
    };
    if row.kind != API {
        store::end_oldest_sign_ins(tx, row.user_id, MOST_SIGN_INS - 1).await?;
    }
    store::insert_session(&**tx, row.clone()).await?;
    Ok((row, token))
}

/// A token that a person wants for a program.
pub struct NewToken {
    pub label: String,
    pub days: Option<u32>,
    pub scopes: Option<Scopes>,
}

/// Opens a session for a program of the caller, in the workspace of the request. Only a person may open one: a stolen
/// token must not be able to create its own successor.
///
/// # Errors
/// When the caller is a program, belongs to no workspace, has [`MOST_TOKENS`] or not the rights of a scope, or the
/// database fails.
pub async fn open_api_session(
    state: &AuthContext,
    caller: &Caller,
    wanted: NewToken,
) -> Result<(session::Model, Token), AuthError> {
    people_only(caller)?;
    let lifetime = wanted
        .days
        .map(|days| Duration::from_secs(u64::from(days) * 86_400));
    if lifetime.is_some_and(|lifetime| lifetime > state.absolute) {
        let most_days = state.absolute.as_secs() / 86_400;
        return Err(AuthError::LivesTooLong { most_days });
    }
    let member = caller.member.as_ref().ok_or(AuthError::NoWorkspace)?;
    let beyond = wanted.scopes.as_ref();
    if let Some(verb) = beyond.and_then(|scopes| scopes.beyond(member.role)) {
        return Err(AuthError::ScopeBeyondRole { verb });
    }
    let scope: WorkspaceScope = member.scope;
    let mut change = Change::begin(state, scope, caller.user.id).await?;
    // Of two requests at the limit, the second one counts the session that the first has created.
    store::hold_user(&change, caller.user.id).await?;
    let present =
        store::count_sessions(change.tx(), caller.user.id, API, state.clock.now()).await?;
    if present >= MOST_TOKENS {
        return Err(AuthError::TooManyTokens { most: MOST_TOKENS });
    }
    let new = NewSession {
        user: caller.user.id,
        workspace: scope.workspace(),
        kind: API,
        label: Some(wanted.label),
        set_password_without_current: false,
        from: None,
        lifetime,
        by_issuer: false,
        scopes: wanted.scopes,
    };
    let (row, token) = insert(state, &change, new).await?;
    let scopes = row.scopes.as_deref().map(Scopes::from_stored);
    let details =
        serde_json::json!({ "label": row.label, "scopes": scopes.map(|scopes| scopes.names()) });
    change.record("token.created", ("session", &row.id), details);
    change.commit().await?;
    Ok((row, token))
}

/// Refuses a program's token. What it creates could outlive it: a stolen token must not create its own successor.
///
/// # Errors
/// [`AuthError::NotForPrograms`].
pub fn not_by_program(caller: &Caller) -> Result<(), AuthError> {
    match caller.session() {
        Some(session) if session.kind == API => Err(AuthError::NotForPrograms),
        _ => Ok(()),
    }
}

/// Returns the session of a person. It refuses programs, and also tokens of an issuer, because their holder is not
/// known.
pub(in crate::auth) fn people_only(caller: &Caller) -> Result<&session::Model, AuthError> {
    let session = caller.session().filter(|session| session.kind != API);
    session.ok_or(AuthError::NotForPrograms)
}
