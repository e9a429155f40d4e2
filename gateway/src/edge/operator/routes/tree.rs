//! `GET /api/ops/tree`, once or as a stream.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use serde::Deserialize;

use super::OperatorContext;
use crate::edge::operator::TreeReader;
use crate::edge::operator::dto::TreeEvents;
use crate::edge::operator::feed::TreeFeed;
use roost_platform::supervision::TreeSnapshot;
use roost_tenancy::streams::Wire;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Query;
use roost_web::problem::Problem;

/// The format of the tree.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TreeQuery {
    /// `json` (default), `text` or `dot`.
    format: Option<String>,
}

/// The supervision tree: all of it for operators, the branch of their own workspace for an Owner.
#[utoipa::path(get, path = "/api/ops/tree", tag = "operators", params(TreeQuery),
    responses((status = 200, body = TreeSnapshot), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn tree(
    State(state): State<OperatorContext>,
    reader: TreeReader,
    Query(query): Query<TreeQuery>,
) -> ApiResult<Response> {
    let whole = state.tree()?.snapshot();
    let snapshot = reader.part_of(&whole).unwrap_or(whole);
    let text = |kind, text| ([(header::CONTENT_TYPE, kind)], text).into_response();
    match query.format.as_deref() {
        None | Some("json") => Ok(Json(snapshot).into_response()),
        Some("text") => Ok(text("text/plain; charset=utf-8", snapshot.to_text())),
        Some("dot") => Ok(text("text/vnd.graphviz; charset=utf-8", snapshot.to_dot())),
        Some(_) => Err(ApiError::validation("format", "must be json, text or dot")),
    }
}

/// What the stream shows.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct StreamQuery {
    /// `tree` (default), or `promises`: the state of the promises, for operators.
    show: Option<String>,
}

/// The tree as a stream (server-sent events): `tree` with a whole snapshot once, then `delta` with the changes, at most
/// one a second; `beat` every 10 s. Events have no ids: a client that reconnects gets a snapshot. With `show=promises`
/// the stream sends `promises` with all of them, once and after each change of a count.
#[utoipa::path(get, path = "/api/ops/tree/stream", tag = "operators", params(StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = TreeEvents), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 429, body = Problem)))]
pub(super) async fn stream(
    State(state): State<OperatorContext>,
    reader: TreeReader,
    Query(query): Query<StreamQuery>,
    wire: Wire,
) -> ApiResult<Response> {
    let promises = match query.show.as_deref() {
        None | Some("tree") => false,
        Some("promises") if reader.sees_all() => true,
        Some("promises") => {
            return Err(
                ApiError::new(Code::Forbidden).detail("The promises are shown to operators.")
            );
        }
        Some(_) => return Err(ApiError::validation("show", "must be tree or promises")),
    };
    let view = state.tree()?.clone();
    let admission = state.live.admit(reader.opening(wire))?;
    let feed = TreeFeed {
        clock: state.clock.clone(),
        view,
        snapshots: state.snapshots.clone(),
        reader,
        promises,
    };
    admission.open(feed).await
}
