//! `/api/ops/*`, `/healthz`, `/readyz`, `/metrics`.

use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use utoipa_axum::{router::OpenApiRouter, routes};

use super::TreeReader;
use super::health;
use super::reader::MayOperate;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::error::{ApiError, ApiResult, Code};
use crate::http::json::{Path, Query};
use crate::http::problem::Problem;
use crate::ids::{SharedIds, UserId, WorkspaceId};
use crate::supervision::{SupervisorHandle, Tenant, TreeSnapshot, TreeView};

/// What the routes need.
#[derive(Clone)]
pub struct OperatorState {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub metrics: PrometheusHandle,
    pub draining: CancellationToken,
    /// Below which restarts run: the listener that took the request may be what restarts.
    pub jobs: SupervisorHandle,
    /// Set once the tree is up; the listeners, which are in the tree, are made before it.
    pub view: Arc<OnceLock<TreeView>>,
}

impl OperatorState {
    /// The tree; the first requests may come before `app` has stored it.
    pub(super) fn tree(&self) -> ApiResult<&TreeView> {
        self.view
            .get()
            .ok_or_else(|| ApiError::new(Code::Unavailable).retry_after(1))
    }
}

/// The routes.
pub fn router() -> OpenApiRouter<OperatorState> {
    OpenApiRouter::new()
        .routes(routes!(tree))
        .routes(routes!(restart))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
}

/// How to show the tree.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TreeQuery {
    /// `json` (default), `text` or `dot`.
    format: Option<String>,
}

/// The supervision tree: all of it for operators, the branch of the own workspace for an Owner.
#[utoipa::path(get, path = "/api/ops/tree", tag = "operators", params(TreeQuery),
    responses((status = 200, body = TreeSnapshot), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn tree(
    State(state): State<OperatorState>,
    reader: TreeReader,
    Query(query): Query<TreeQuery>,
) -> ApiResult<Response> {
    let whole = state.tree()?.snapshot();
    let snapshot = match reader {
        TreeReader::Operator => whole,
        TreeReader::Owner(workspace) => whole.for_tenant(&Tenant::new(workspace)),
    };
    let text = |kind, text| ([(header::CONTENT_TYPE, kind)], text).into_response();
    match query.format.as_deref() {
        None | Some("json") => Ok(Json(snapshot).into_response()),
        Some("text") => Ok(text("text/plain; charset=utf-8", snapshot.to_text())),
        Some("dot") => Ok(text("text/vnd.graphviz; charset=utf-8", snapshot.to_dot())),
        Some(_) => Err(ApiError::validation("format", "must be json, text or dot")),
    }
}

/// Restarts an actor. The id is its path in the tree, with `/` written as `%2F`.
#[utoipa::path(post, path = "/api/ops/actors/{id}/restart", tag = "operators", params(("id" = String, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn restart(
    State(state): State<OperatorState>,
    operator: MayOperate,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let view = state.tree()?.clone();
    if view.snapshot().find(&id).is_none() {
        return Err(ApiError::new(Code::NotFound)
            .detail("There is no such actor; its id is its path in /api/ops/tree."));
    }
    let (user, workspace) = match &operator.0 {
        Some(caller) => (caller.user.id, caller.session.workspace_id),
        None => (UserId::SYSTEM, WorkspaceId(uuid::Uuid::nil())),
    };
    let scope = WorkspaceScope::of_row(workspace);
    let now = state.clock.now();
    let tx = state.db.write().await?;
    let details = serde_json::json!({});
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "actor.restarted",
        ("actor", &id),
        details,
    )
    .await?;
    tx.commit().await?;
    let name = format!("restart:{}", state.ids.next());
    state
        .jobs
        .spawn_job(
            name,
            None,
            move |_| async move { Ok(view.restart(&id).await?) },
        )
        .await
        .map_err(|error| ApiError::new(Code::Unavailable).caused_by(error))?;
    Ok(StatusCode::ACCEPTED)
}
