//! `GET /api/topology-runs/{id}/events`: the events of a run so far, then new ones as they happen.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::store;
use roost_platform::events::{self, Filter};
use roost_platform::ids::RunId;
use roost_tenancy::auth::{Authority, Scoped, can};
use roost_tenancy::streams::{EventFeed, LiveContext, LiveEvents, Opening, Wire, cursor};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query};
use roost_web::problem::Problem;

/// The route.
pub fn router() -> OpenApiRouter<LiveContext> {
    OpenApiRouter::new().routes(routes!(run_events))
}

/// The start of a run's event stream.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunEventsQuery {
    /// The stream continues after this event. When it is absent, the stream starts with the run's first event that is
    /// still kept.
    last_event_id: Option<String>,
}

/// Streams all events of a run that are still kept, then new ones as they happen (server-sent events).
#[utoipa::path(get, path = "/api/topology-runs/{id}/events", tag = "runs", operation_id = "run_events",
    params(("id" = RunId, Path), RunEventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "where to go on")),
    responses((status = 200, content_type = "text/event-stream", body = LiveEvents), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn run_events(
    State(state): State<LiveContext>,
    caller: Scoped<can::ReadRuns>,
    Path(id): Path<RunId>,
    Query(query): Query<RunEventsQuery>,
    headers: HeaderMap,
    wire: Wire,
) -> ApiResult<Response> {
    let (db, scope) = (&state.db, caller.scope());
    store::get(db.read(), scope, id)
        .await?
        .ok_or_else(|| ApiError::not_found("run"))?;
    let cursor = match cursor(&headers, query.last_event_id.as_deref())? {
        Some(cursor) => Some(cursor),
        None => events::before_run(db.read(), scope.workspace(), id).await?,
    };
    let filter = Filter {
        run_id: Some(id.0),
        ..Filter::default()
    };
    let admission = state.live.admit(Opening {
        what: "run",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(scope.workspace()),
        serves: caller.caller().user.email.clone(),
        wire,
    })?;
    let feed = EventFeed::begin(
        db,
        &state.hub,
        scope.workspace(),
        filter,
        cursor,
        admission.queue(),
    )
    .await?;
    admission.open_events(feed).await
}
