//! The authentication of MCP requests: an agent's token in the `Authorization` header. It is checked before anything
//! else.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderMap, HeaderValue, header};

use super::Mcp;
use crate::tools::model::Capability;
use crate::tools::tokens::{entity, store};
use roost_agents::claws;
use roost_platform::events::About;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{WorkspaceScope, sha256_hex};
use roost_web::connections::{Connection, Proof};
use roost_web::error::{ApiError, ApiResult, Code};

/// The number of requests that an agent may send in a minute.
pub const PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("it is not zero");
/// The number of agents with a rate limit before idle ones are removed from memory.
const MOST_PACES: usize = 10_000;
/// The shortest time between two writes of `last_used_at`.
const TOUCH_EVERY: TimeDelta = TimeDelta::minutes(5);

pub(super) type Paces = DefaultKeyedRateLimiter<ClawId>;

pub(super) fn paces() -> Paces {
    RateLimiter::keyed(Quota::per_minute(PER_MINUTE))
}

/// The authenticated agent, and what it may use.
#[derive(Debug, Clone)]
pub struct Speaker(pub Arc<Capability>);

/// The same check as a middleware, for servers outside this module: the fixtures of the conformance suite.
pub async fn guard(State(mcp): State<Mcp>, request: Request, next: Next) -> Response {
    mcp.guarded(request, |request| next.run(request)).await
}

/// A 401 with a challenge. It does not reveal the reason (unknown, expired, revoked, agent deleted).
fn challenged(error: ApiError, presented: bool) -> Response {
    let mut response = error.into_response();
    let challenge = match presented {
        true => r#"Bearer realm="roost", error="invalid_token""#,
        false => r#"Bearer realm="roost""#,
    };
    response.headers_mut().insert(
        header::WWW_AUTHENTICATE,
        HeaderValue::from_static(challenge),
    );
    response
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    // With two headers, a proxy in front may have checked the other one.
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim())
        .filter(|token| !token.is_empty())
}

fn refused() -> ApiError {
    ApiError::new(Code::Unauthenticated).detail(
        "An agent's token is needed, as `Authorization: Bearer rat_…`. Make one on the agent's page; one that ended, was revoked or whose agent is deleted opens nothing.",
    )
}

impl Mcp {
    /// Authenticates a request, and adds the agent to it as an extension.
    pub(super) async fn guarded<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        serve: impl FnOnce(Request) -> F,
    ) -> Response {
        let presented = bearer(request.headers());
        let speaker = match self.speaker(presented).await {
            Ok(speaker) => speaker,
            Err(error) if error.code() == Code::Unauthenticated => {
                return challenged(error, presented.is_some());
            }
            Err(error) => return error.into_response(),
        };
        // An agent's programs count towards the connection limit of the person who manages the agent.
        if let Some(connection) = request.extensions().get::<Connection>()
            && let Err(full) = connection.prove(Proof::Person(speaker.0.user))
        {
            return full.into_response();
        }
        request.extensions_mut().insert(speaker);
        let mut response = serve(request).await;
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }

    async fn speaker(&self, token: Option<&str>) -> ApiResult<Speaker> {
        let token = token.ok_or_else(refused)?;
        let (inner, now) = (&self.inner, self.inner.clock.now());
        let db = inner.db.read();
        let row = store::by_token(db, &sha256_hex(token), now)
            .await?
            .ok_or_else(refused)?;
        let scope = WorkspaceScope::of_row(row.workspace_id);
        let claw = claws::find(db, scope, row.agent_id)
            .await?
            .filter(|claw| claw.deleted_at.is_none())
            .ok_or_else(refused)?;
        self.pace(claw.id)?;
        let authority = (inner.authority)(scope, claw.id).await?;
        self.touch(scope, &row).await;
        Ok(Speaker(Arc::new(Capability {
            scope,
            agent: Some(claw.id),
            user: claw.managed_by,
            sandbox_of: authority.sandbox_of,
            profile: authority.profile,
            bundles: authority.bundles,
            about: About::default(),
            pane: None,
            place: None,
            folder: None,
        })))
    }

    fn pace(&self, agent: ClawId) -> ApiResult<()> {
        let paces = &self.inner.paces;
        if paces.len() > MOST_PACES {
            paces.retain_recent();
        }
        paces.check_key(&agent).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            ApiError::new(Code::TooManyAttempts)
                .retry_after(wait.as_secs() + 1)
                .detail(format!(
                    "An agent may ask its tools {PER_MINUTE} times a minute."
                ))
        })
    }

    /// A failure here does not fail the request.
    async fn touch(&self, scope: WorkspaceScope, row: &entity::Model) {
        let now = self.inner.clock.now();
        if row.last_used_at.is_some_and(|at| now - at < TOUCH_EVERY) {
            return;
        }
        let touched = async {
            let tx = self.inner.db.write().await?;
            store::touch(&*tx, scope, row.id, now).await?;
            tx.commit().await
        };
        if let Err(error) = touched.await {
            tracing::warn!(%error, "the gateway could not record the use of an agent's token");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_is_taken_from_one_header_only() {
        let headers = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
            }
            headers
        };
        assert_eq!(bearer(&headers(&["Bearer rat_x"])), Some("rat_x"));
        assert_eq!(bearer(&headers(&["bearer  rat_x "])), Some("rat_x"));
        for none in [
            &[][..],
            &["rat_x"],
            &["Basic rat_x"],
            &["Bearer "],
            &["Bearer rat_x", "Bearer rat_y"],
        ] {
            assert_eq!(bearer(&headers(none)), None, "{none:?}");
        }
    }
}
