//! `GET /api/events`.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::LiveContext;
use super::dto::LiveEvents;
use super::events::EventFeed;
use super::handle::Opening;
use super::wire::Wire;
use crate::auth::{Authority, Scoped, can};
use roost_platform::events::{self, Event, EventId, Filter};
use roost_platform::ids::ClawId;
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Query;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<LiveContext> {
    OpenApiRouter::new().routes(routes!(events))
}

/// The filters and the beginning of a stream.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only these types, separated by commas.
    types: Option<String>,
    /// Only events about this agent.
    agent_id: Option<ClawId>,
    /// Only events about this run.
    run_id: Option<Uuid>,
    /// Only events about this mission.
    mission_id: Option<Uuid>,
    /// Only events about this room.
    room_id: Option<Uuid>,
    /// Where to continue. A browser cannot set the header `Last-Event-ID` on its first request.
    last_event_id: Option<String>,
    /// Where to begin without a cursor; `now` if absent.
    #[param(inline)]
    from: Option<Beginning>,
}

/// Where a subscriber without a cursor begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// With the oldest stored event.
    Oldest,
    /// With the next event.
    Now,
}

/// Live events of the workspace (server-sent events): first the stored events after the cursor, then live ones. Ids are
/// `<epoch>.<sequence>`. `trimmed` means that the part after the cursor has lost its ephemeral events; its facts follow. `reset` means that the cursor cannot be served: read everything again. `beat` comes every 10 s
/// without an id.
#[utoipa::path(get, path = "/api/events", tag = "events",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "where to go on")),
    responses((status = 200, content_type = "text/event-stream", body = LiveEvents), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn events(
    State(state): State<LiveContext>,
    caller: Scoped<can::ReadEvents>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
    wire: Wire,
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
        room_id: query.room_id,
    };
    let admission = state.live.admit(Opening {
        what: "subscriber",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(workspace),
        serves: caller.caller().user.email.clone(),
        wire,
    })?;
    let (db, hub) = (&state.db, &state.hub);
    let feed = EventFeed::begin(db, hub, workspace, filter, cursor, admission.queue()).await?;
    admission.open_events(feed).await
}

/// The cursor that a request names: the header `Last-Event-ID`, otherwise the query parameter.
///
/// # Errors
/// `validation` when it is not the id of an event.
pub fn cursor(headers: &HeaderMap, query: Option<&str>) -> ApiResult<Option<EventId>> {
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
                format!(
                    "`{name}` is not a type of event; the types are {}",
                    Event::TYPES.join(", ")
                ),
            )),
        })
        .collect()
}
