//! The middleware: claims the key, runs the route, stores its answer.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, Method, header};
use sha2::{Digest, Sha256};

use super::entity::Model;
use super::store::{self, Claim, KeyOf, Settled};
use super::{Fixed, HoldsASecret, KeyOwner};
use crate::error::{ApiError, ApiResult, Code};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::kill_point;
use roost_platform::supervision::KillPoints;

static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// How often a key is settled before its repeats have to wait.
const ATTEMPTS: u32 = 3;

static IDEMPOTENT_REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");

/// What the layer needs.
#[derive(Clone)]
pub struct IdempotencyLayer {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub kill_points: KillPoints,
    pub body_limit: usize,
}

/// The middleware. It does nothing without a key, without a signed-in user, or for methods other than POST.
pub async fn idempotent(
    State(layer): State<IdempotencyLayer>,
    request: Request,
    next: Next,
) -> Response {
    match key_of(&request) {
        Ok(None) => next.run(request).await,
        Ok(Some(key)) => layer
            .run(key, request, next)
            .await
            .unwrap_or_else(ApiError::into_response),
        Err(error) => error.into_response(),
    }
}

fn key_of(request: &Request) -> ApiResult<Option<KeyOf>> {
    let Some(value) = request.headers().get(&IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let Some(owner) = request.extensions().get::<KeyOwner>() else {
        return Ok(None);
    };
    if request.method() != Method::POST {
        return Ok(None);
    }
    let key = value
        .to_str()
        .ok()
        .filter(|key| (1..=200).contains(&key.len()))
        .ok_or_else(|| {
            ApiError::validation(
                "Idempotency-Key",
                "must be 1 to 200 visible ASCII characters",
            )
        })?;
    Ok(Some(KeyOf {
        user: owner.user,
        workspace: owner.workspace,
        route: format!("POST {}", request.uri().path()),
        key: hex::encode(Sha256::digest(key)),
        sent: key.to_owned(),
    }))
}

impl IdempotencyLayer {
    async fn run(&self, key: KeyOf, request: Request, next: Next) -> ApiResult<Response> {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, self.body_limit)
            .await
            .map_err(|_| ApiError::new(Code::PayloadTooLarge))?;
        let hash = fingerprint(&key.sent, parts.uri.query(), &body);
        let claim = store::claim(&self.db, &key, &hash, self.ids.next(), self.clock.now()).await?;
        let id = match claim {
            Claim::Work(id) => id,
            Claim::Answer(row) => return Ok(replay(row)),
            Claim::InProgress => {
                return Err(ApiError::new(Code::Conflict)
                    .detail("The first request with this idempotency key is still in progress.")
                    .retry_after(1));
            }
            Claim::Mismatch => return Err(ApiError::new(Code::IdempotencyMismatch)),
            Claim::Secret => return Err(ApiError::new(Code::AlreadyAnswered)),
        };
        let mut request = Request::from_parts(parts, Body::from(body));
        request.extensions_mut().insert(Fixed(id));
        kill_point!(self.kill_points, "http.idempotency.after_claim");
        let response = next.run(request).await;
        kill_point!(self.kill_points, "http.idempotency.before_answer");
        self.keep(&key, response).await
    }

    async fn keep(&self, key: &KeyOf, response: Response) -> ApiResult<Response> {
        let status = response.status();
        let content_type = response
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let storable = content_type
            .as_deref()
            .is_none_or(|kind| kind.starts_with("application/json"));
        if status.is_server_error() {
            // The work may have happened, or may still happen. A repeat gets the same id and finds the result.
            self.settle(key, Settled::Unknown).await;
            return Ok(response);
        }
        if !status.is_success() || !storable {
            self.settle(key, Settled::NothingChanged).await;
            return Ok(response);
        }
        let status = status.as_u16();
        if response.extensions().get::<HoldsASecret>().is_some() {
            self.settle(key, Settled::Secret { status }).await;
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX)
            .await
            .map_err(|error| ApiError::internal(std::io::Error::other(error)))?;
        let text = String::from_utf8_lossy(&body).into_owned();
        let answer = Settled::Answer {
            status,
            content_type,
            body: text,
        };
        self.settle(key, answer).await;
        Ok(Response::from_parts(parts, Body::from(body)))
    }

    /// Settles a key after the work. The database may break off in the middle, so this is tried a few times at once:
    /// until the key is settled, a repeat is refused, for at most a minute. The answer of the route stands in any case,
    /// because it says what happened.
    async fn settle(&self, key: &KeyOf, how: Settled) {
        for attempt in 1..=ATTEMPTS {
            match store::settle(&self.db, key, &how).await {
                Ok(()) => return,
                Err(error) if attempt == ATTEMPTS => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "an idempotency key was not settled; a repeat is refused for up to a minute"
                    );
                }
                Err(_) => {}
            }
        }
    }
}

/// Salted with the key, of which only the digest is stored. A body may hold a short secret, and a reader of the table
/// must not be able to guess it.
fn fingerprint(key: &str, query: Option<&str>, body: &Bytes) -> String {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update([0]);
    hash.update(query.unwrap_or_default());
    hash.update([0]);
    hash.update(body);
    hex::encode(hash.finalize())
}

fn replay(row: Model) -> Response {
    let mut response = Response::new(Body::from(row.body.unwrap_or_default()));
    *response.status_mut() = row
        .status
        .and_then(|status| u16::try_from(status).ok())
        .and_then(|status| http::StatusCode::from_u16(status).ok())
        .unwrap_or(http::StatusCode::OK);
    let headers = response.headers_mut();
    if let Some(kind) = row.content_type.and_then(|kind| kind.parse().ok()) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    headers.insert(&IDEMPOTENT_REPLAY, HeaderValue::from_static("true"));
    response
}
