//! `GET /api/events`.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::dto::LiveEvents;
use super::events::EventFeed;
use super::handle::{LiveHandle, Opening};
use crate::db::Db;
use crate::domains::auth::{Authority, Scoped, can};
use crate::domains::runs;
use crate::error::{ApiError, ApiResult};
use crate::events::{self, Event, EventId, Filter, Hub};
use crate::http::json::{Path, Query};
use crate::http::problem::Problem;
use crate::ids::{ClawId, RunId};

/// What the route needs.
#[derive(Clone)]
pub struct LiveState {
    pub db: Db,
    pub hub: Hub,
    pub live: LiveHandle,
}

/// The routes.
pub fn router() -> OpenApiRouter<LiveState> {
    OpenApiRouter::new()
        .routes(routes!(events))
        .routes(routes!(run_events))
}

/// What to follow.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only these types, separated by commas.
    types: Option<String>,
    /// Only what is about this agent.
    agent_id: Option<ClawId>,
    /// Only what is about this run.
    run_id: Option<Uuid>,
    /// Only what is about this mission.
    mission_id: Option<Uuid>,
    /// Where to go on; a browser cannot set the header `Last-Event-ID` the first time.
    last_event_id: Option<String>,
    /// Where to begin when nothing says where to go on; `now` when absent.
    #[param(inline)]
    from: Option<Beginning>,
}

/// Where a subscriber without a cursor begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// With the oldest event that is kept.
    Oldest,
    /// With what happens next.
    Now,
}

/// Live events of the workspace (server-sent events): first those after the cursor, then live. Ids are
/// `<epoch>.<sequence>`; `reset` says that the cursor cannot be served and everything must be read anew; `beat` comes
/// every 10 s without an id.
#[utoipa::path(get, path = "/api/events", tag = "events",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "where to go on")),
    responses((status = 200, content_type = "text/event-stream", body = LiveEvents), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn events(
    State(state): State<LiveState>,
    caller: Scoped<can::ReadEvents>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let workspace = caller.scope().workspace();
    let cursor = match cursor(&headers, query.last_event_id.as_deref())? {
        None if query.from == Some(Beginning::Oldest) => {
            events::before_oldest(state.db.read(), workspace).await?
        }
        cursor => cursor,
    };
    let filter = Filter {
        types: types(query.types.as_deref())?,
        agent_id: query.agent_id,
        run_id: query.run_id,
        mission_id: query.mission_id,
    };
    let admission = state.live.admit(Opening {
        what: "subscriber",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(workspace),
        serves: caller.caller().user.email.clone(),
    })?;
    let (db, hub) = (&state.db, &state.hub);
    let feed = EventFeed::begin(db, hub, workspace, filter, cursor, admission.outlet()).await?;
    admission.open(feed).await
}

/// Where to go on in a run's events.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunEventsQuery {
    /// Where to go on; from the run's first event that is still kept when absent.
    last_event_id: Option<String>,
}

/// Everything that happened in a run so far, as far as it is kept, then live (server-sent events).
#[utoipa::path(get, path = "/api/topology-runs/{id}/events", tag = "runs", operation_id = "run_events",
    params(("id" = RunId, Path), RunEventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "where to go on")),
    responses((status = 200, content_type = "text/event-stream", body = LiveEvents), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn run_events(
    State(state): State<LiveState>,
    caller: Scoped<can::ReadRuns>,
    Path(id): Path<RunId>,
    Query(query): Query<RunEventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (db, scope) = (&state.db, caller.scope());
    runs::store::get(db.read(), scope, id)
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
    })?;
    let feed = EventFeed::begin(
        db,
        &state.hub,
        scope.workspace(),
        filter,
        cursor,
        admission.outlet(),
    )
    .await?;
    admission.open(feed).await
}

fn cursor(headers: &HeaderMap, query: Option<&str>) -> ApiResult<Option<EventId>> {
    let refused = || ApiError::validation("last_event_id", "must be the id of an event, like 1.42");
    let header = headers
        .get("last-event-id")
        .map(|value| value.to_str().map_err(|_| refused()))
        .transpose()?;
    header
        .or(query)
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().map_err(|_| refused()))
        .transpose()
}

fn types(text: Option<&str>) -> ApiResult<Vec<String>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(Vec::new());
    };
    text.split(',')
        .map(str::trim)
        .map(|name| match Event::TYPES.contains(&name) {
            true => Ok(name.to_owned()),
            false => Err(ApiError::validation(
                "types",
                format!("`{name}` is no type; there are {}", Event::TYPES.join(", ")),
            )),
        })
        .collect()
}
