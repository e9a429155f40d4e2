//! Identifies the caller once a request: reads the bearer or the cookie, loads session, user and membership, and leaves
//! a [`Caller`] for the extractors. By itself the layer refuses only cross-site changes. A JWT-shaped bearer is
//! verified with the issuer's keys and never looked up. Any other bearer is a session of this gateway: it is looked up
//! and never verified.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderName, header};

use super::cache::{Moment, RecentCallers};
use super::entity::{session, user};
use super::hosted::claims::{Verified, is_jwt_shaped};
use super::hosted::revalidation::Revalidated;
use super::hosted::{Hosted, HostedError};
use super::streams::{Authority, OpenStreams};
use super::{Role, Scopes, Verb, WorkspaceScope, sha256_hex, store};
use crate::workspaces::{self, MemberRow, WorkspaceRow};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::WorkspaceId;
use roost_web::connections::{Connection, Proof};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::idempotency::KeyOwner;
use roost_web::origin::OwnOrigin;

/// The cookie of a signed-in page.
pub const COOKIE: &str = "roost_session";
/// Picks a workspace other than the session's.
pub static ROOST_WORKSPACE: HeaderName = HeaderName::from_static("roost-workspace");

/// `last_seen_at` is written at most this often.
const TOUCH_EVERY: Duration = Duration::from_secs(300);

/// What the layer needs.
#[derive(Clone)]
pub struct AuthLayer {
    pub db: Db,
    pub clock: SharedClock,
    pub own_origin: OwnOrigin,
    /// E-mails (lower case) that the configuration makes operators.
    pub operators: Arc<[String]>,
    /// How long an unused session lives.
    pub idle: Duration,
    pub streams: OpenStreams,
    /// Callers of the last half second.
    pub recent: RecentCallers,
    /// The issuer whose tokens are accepted, if any.
    pub hosted: Option<Hosted>,
}

/// How the caller identified itself.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A local session: a cookie, or an opaque bearer.
    Session(session::Model),
    /// A token of the issuer. It has no row and ends by itself.
    Token { until: DateTime<Utc> },
}

/// The user or program that sends the request.
#[derive(Debug, Clone)]
pub struct Caller {
    pub credential: Credential,
    pub user: user::Model,
    /// The caller operates the deployment.
    pub operator: bool,
    /// The caller is an operator by a grant, not by the configuration.
    pub granted: bool,
    /// The workspace of this request, when the caller is a member of one.
    pub member: Option<Membership>,
    /// What the caller's token may do at most. Absent for all that the caller may do.
    pub scopes: Option<Scopes>,
}

impl Caller {
    /// The session, when the caller has one.
    pub fn session(&self) -> Option<&session::Model> {
        match &self.credential {
            Credential::Session(session) => Some(session),
            Credential::Token { .. } => None,
        }
    }

    /// Whether the caller may do this with a role in a workspace: both the role and the scopes of the token decide.
    pub fn may(&self, role: Role, verb: Verb) -> bool {
        role.may(verb) && self.scopes.as_ref().is_none_or(|scopes| scopes.allow(verb))
    }

    /// The workspace in which the caller's actions are recorded, also when the caller is not a member of one.
    pub fn workspace(&self) -> WorkspaceId {
        let member = self.member.as_ref().map(|member| member.scope.workspace());
        let session = self.session().map(|session| session.workspace_id);
        member.or(session).unwrap_or(WorkspaceId(uuid::Uuid::nil()))
    }
}

/// The caller's membership in the workspace of the request.
#[derive(Debug, Clone)]
pub struct Membership {
    pub scope: WorkspaceScope,
    pub role: Role,
    pub workspace_name: String,
    pub plan: String,
}

/// What the layer found: no caller, a caller, or a reason to refuse (a workspace that the caller is not a member of, an
/// invalid token).
#[derive(Debug, Clone)]
pub enum Identity {
    Nobody,
    Known(Arc<Caller>),
    Refused(ApiError),
}

/// The middleware.
pub async fn authenticate(
    State(layer): State<AuthLayer>,
    mut request: Request,
    next: Next,
) -> Response {
    let identity = match layer.identify(request.method(), request.headers()).await {
        Ok(identity) => identity,
        Err(error) if error.code() == Code::NotFound => Identity::Refused(error),
        Err(error) => return error.into_response(),
    };
    let connection = request.extensions().get::<Connection>();
    if let (Identity::Known(caller), Some(connection)) = (&identity, connection)
        && let Err(full) = connection.prove(Proof::Person(caller.user.id))
    {
        return full.into_response();
    }
    let authority = match &identity {
        Identity::Known(caller) => Some(Authority::of(caller)),
        Identity::Nobody | Identity::Refused(_) => None,
    };
    if let Identity::Known(caller) = &identity {
        request.extensions_mut().insert(KeyOwner {
            user: caller.user.id,
            workspace: caller.workspace(),
        });
    }
    request.extensions_mut().insert(identity);
    let response = next.run(request).await;
    match authority {
        Some(authority) => layer.streams.tie(authority, response),
        None => response,
    }
}

impl AuthLayer {
    async fn identify(&self, method: &http::Method, headers: &HeaderMap) -> ApiResult<Identity> {
        let (token, by_cookie) = match (bearer(headers), cookie(headers, COOKIE)) {
            (Some(token), _) if is_jwt_shaped(token) => return self.by_token(token, headers).await,
            (Some(token), _) => (token, false),
            (None, Some(token)) => (token, true),
            (None, None) => return Ok(Identity::Nobody),
        };
        let now = self.clock.now();
        let moment = Moment::now(&self.db, &self.clock);
        let hash = sha256_hex(token);
        let asked = requested_workspace(headers);
        let key = asked.as_ref().ok().map(|asked| (hash.clone(), *asked));
        if let Some(caller) = key.as_ref().and_then(|key| self.recent.get(key, moment))
            && caller.session().is_some_and(|session| {
                !is_over(session, now, self.idle) && !is_to_touch(session, now)
            })
        {
            if by_cookie {
                self.own_origin.check(method, headers)?;
            }
            return Ok(Identity::Known(caller));
        }
        let (db, backend) = (self.db.read(), self.db.backend());
        let place = asked.as_ref().ok().copied().flatten();
        let Some(found) = store::bearer(db, backend, &hash, place).await? else {
            return Ok(Identity::Nobody);
        };
        let store::Bearer {
            session,
            user,
            mut granted,
            mut member,
        } = found;
        if is_over(&session, now, self.idle) {
            return Ok(Identity::Nobody);
        }
        if by_cookie {
            self.own_origin.check(method, headers)?;
        }
        let user = match (session.by_issuer, &self.hosted) {
            (false, _) => user,
            (true, Some(hosted)) => match hosted.revalidate(user).await? {
                Revalidated::User(user) => *user,
                Revalidated::SessionEnded => return Ok(Identity::Nobody),
            },
            // The gateway cannot ask the issuer any more.
            (true, None) => return Ok(Identity::Nobody),
        };
        let workspace = asked?.unwrap_or(session.workspace_id);
        if session.by_issuer {
            // The issuer's answer may have changed them.
            (granted, member) = tokio::try_join!(
                store::is_granted(db, &user.email),
                workspaces::membership(db, user.id, workspace),
            )?;
        }
        self.touch(&session, now).await;
        let kept = !session.by_issuer && member.is_some();
        let identity = self.known(Credential::Session(session), user, granted, member, headers)?;
        if let (true, Identity::Known(caller), Some(key)) = (kept, &identity, key) {
            self.recent.put(key, Arc::clone(caller), moment);
        }
        Ok(identity)
    }

    /// Identifies the caller by a token of the issuer. An invalid token is refused only where a route requires a
    /// caller.
    async fn by_token(&self, token: &str, headers: &HeaderMap) -> ApiResult<Identity> {
        match self.token_and_user(token).await {
            Ok((verified, user)) => {
                let asked = requested_workspace(headers)?;
                let db = self.db.read();
                let place = async {
                    match asked {
                        Some(workspace) => workspaces::membership(db, user.id, workspace).await,
                        None => {
                            let home = match &self.hosted {
                                Some(hosted) => hosted.home().await?,
                                None => None,
                            };
                            workspaces::first_place(db, user.id, home).await
                        }
                    }
                };
                let (granted, member) =
                    tokio::try_join!(store::is_granted(db, &user.email), place)?;
                let until = verified.expires_at;
                self.known(Credential::Token { until }, user, granted, member, headers)
            }
            Err(error) => Ok(Identity::Refused(error.into())),
        }
    }

    async fn token_and_user(&self, token: &str) -> Result<(Verified, user::Model), HostedError> {
        let hosted = self.hosted.as_ref().ok_or(HostedError::Off)?;
        let verified = hosted.bearer(token).await?;
        let user = hosted.arrive(&hosted.facts(&verified)).await?;
        Ok((verified, user))
    }

    fn known(
        &self,
        credential: Credential,
        user: user::Model,
        granted: bool,
        member: Option<(MemberRow, WorkspaceRow)>,
        headers: &HeaderMap,
    ) -> ApiResult<Identity> {
        // A person that accepts an invitation can type any address, so an address alone never makes an operator.
        let vouched = user.email_by().is_vouched();
        let configured = vouched && self.operators.contains(&user.email);
        let granted = (user.operates || vouched && granted) && !configured;
        let member = member.map(|(member, workspace)| Membership {
            scope: WorkspaceScope::of_member(workspace.id),
            role: Role::from_stored(&member.role),
            workspace_name: workspace.name,
            plan: workspace.plan,
        });
        if member.is_none() && headers.contains_key(&ROOST_WORKSPACE) {
            return Err(ApiError::not_found("workspace"));
        }
        let scopes = match &credential {
            Credential::Session(session) => session.scopes.as_deref().map(Scopes::from_stored),
            Credential::Token { .. } => None,
        };
        // No scope is about the deployment.
        let is_whole = scopes.is_none();
        Ok(Identity::Known(Arc::new(Caller {
            credential,
            user,
            operator: is_whole && (configured || granted),
            granted: is_whole && granted,
            member,
            scopes,
        })))
    }

    /// Records the use of a session from time to time. If that fails, the request continues without harm.
    async fn touch(&self, session: &session::Model, now: DateTime<Utc>) {
        if !is_to_touch(session, now) {
            return;
        }
        let touched = async {
            let tx = self.db.write().await?;
            store::touch_session(&*tx, session.id, now).await?;
            tx.commit().await
        };
        if let Err(error) = touched.await {
            tracing::warn!(%error, "the gateway could not record the use of a session");
        }
    }
}

/// Whether the use of a session must be recorded now.
fn is_to_touch(session: &session::Model, now: DateTime<Utc>) -> bool {
    let age = (now - session.last_seen_at).to_std().unwrap_or_default();
    age >= TOUCH_EVERY
}

/// Whether a session has ended, by its absolute end or because it was unused for too long.
pub fn is_over(session: &session::Model, now: DateTime<Utc>, idle: Duration) -> bool {
    let unused = (now - session.last_seen_at).to_std().unwrap_or_default();
    now >= session.expires_at || unused >= idle
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The value of a cookie of a request.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, token)| token)
}

fn requested_workspace(headers: &HeaderMap) -> ApiResult<Option<WorkspaceId>> {
    headers
        .get(&ROOST_WORKSPACE)
        .map(|value| {
            value
                .to_str()
                .ok()
                .and_then(|text| text.parse().ok())
                // A value that is not an id is refused like a workspace that does not exist.
                .ok_or_else(|| ApiError::not_found("workspace"))
        })
        .transpose()
}
