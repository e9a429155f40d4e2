//! Probes and metrics.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use utoipa::ToSchema;

use super::OperatorContext;
use super::reader::MayOperate;
use roost_platform::supervision::ActorState;
use roost_web::error::ApiResult;
use roost_web::problem::Problem;

/// The health of the gateway.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`, `ready`, or the missing part.
    pub status: String,
    /// What does not work although requests are served; absent when everything works.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

/// The longest time that the broker may take to answer, because a probe waits one second.
const BROKER_WITHIN: Duration = Duration::from_millis(500);

/// Whether the process answers requests.
#[utoipa::path(get, path = "/healthz", tag = "operators", responses((status = 200, body = Health)))]
pub(super) async fn healthz() -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
        degraded: Vec::new(),
    })
}

/// Whether requests can be served: the database answers, and no part of the tree has failed permanently.
#[utoipa::path(get, path = "/readyz", tag = "operators",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(super) async fn readyz(State(state): State<OperatorContext>) -> Response {
    let root = state.tree().ok().map(|tree| tree.snapshot().root);
    let failed = root
        .iter()
        .flat_map(|root| &root.children)
        .find(|child| child.state == ActorState::Failed);
    let missing = if state.draining.is_cancelled() {
        Some("stopping".to_owned())
    } else if root.is_none() {
        Some("starting".to_owned())
    } else if let Some(failed) = failed {
        Some(format!("{} has failed", failed.id))
    } else if let Err(error) = state.db.read().execute_unprepared("SELECT 1").await {
        tracing::warn!(%error, "not ready: the database does not answer");
        Some("the database does not answer".to_owned())
    } else {
        None
    };
    let code = match missing {
        Some(_) => StatusCode::SERVICE_UNAVAILABLE,
        None => StatusCode::OK,
    };
    let degraded = match missing {
        Some(_) => Vec::new(),
        None => degraded(&state).await,
    };
    let status = missing.unwrap_or_else(|| "ready".to_owned());
    (code, Json(Health { status, degraded })).into_response()
}

/// A gateway without its broker or its bucket of chunks is ready: work without them continues, and another replica would
/// lack them as well. The endpoint is unauthenticated, so the reasons are only in the log and in `roost doctor`.
async fn degraded(state: &OperatorContext) -> Vec<String> {
    let mut degraded = Vec::new();
    if state.needs_broker {
        let answer = tokio::time::timeout(BROKER_WITHIN, state.broker.status()).await;
        if !matches!(answer, Ok(Ok(_))) {
            degraded.push("the secret broker does not answer".to_owned());
        }
    }
    if state.chunks.is_faulty() {
        degraded.push("the bucket of snapshots cannot be used".to_owned());
    }
    degraded
}

/// Metrics in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", tag = "operators",
    responses((status = 200, content_type = "text/plain", body = String), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
pub(super) async fn metrics(
    State(state): State<OperatorContext>,
    _operator: MayOperate,
) -> ApiResult<impl IntoResponse> {
    let snapshot = state.tree()?.snapshot();
    metrics::gauge!("roost_actors").set(f64::from(
        u32::try_from(snapshot.living).unwrap_or(u32::MAX),
    ));
    metrics::counter!("roost_actors_killed_total").absolute(snapshot.forced_kills);
    let headers = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    Ok((headers, state.metrics.render()))
}
