//! `GET /api/events`.

use std::sync::{Mutex, PoisonError};

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::subscriber::Subscriber;
use crate::db::Db;
use crate::domains::auth::{Scoped, can};
use crate::error::{ApiError, ApiResult, Code};
use crate::events::{self, Event, EventId, Filter, Hub};
use crate::http::json::Query;
use crate::http::problem::Problem;
use crate::http::sse::{self, Streams};
use crate::ids::{ClawId, SharedIds};
use crate::supervision::{ActorKind, ChildSpec, Restart, SupervisorHandle, Tenant};

/// What the route needs.
#[derive(Clone)]
pub struct LiveState {
    pub db: Db,
    pub hub: Hub,
    pub ids: SharedIds,
    pub streams: Streams,
    /// The supervisor below which subscribers live.
    pub live: SupervisorHandle,
    /// Cancelled when the gateway begins to stop, so that open streams do not hold it up.
    pub draining: CancellationToken,
}

/// The routes.
pub fn router() -> OpenApiRouter<LiveState> {
    OpenApiRouter::new().routes(routes!(events))
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
}

/// Chunks that wait for a connection which takes them slowly.
const CHUNKS: usize = 8;

/// Live events of the workspace (server-sent events): first those after the cursor, then live. Ids are
/// `<epoch>.<sequence>`; `reset` says that the cursor cannot be served and everything must be read anew; `beat` comes
/// every 10 s without an id.
#[utoipa::path(get, path = "/api/events", tag = "events",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "where to go on")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn events(
    State(state): State<LiveState>,
    caller: Scoped<can::ReadEvents>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let cursor = cursor(&headers, query.last_event_id.as_deref())?;
    let filter = Filter {
        types: types(query.types.as_deref())?,
        agent_id: query.agent_id,
        run_id: query.run_id,
        mission_id: query.mission_id,
    };
    let slot = state.streams.open(caller.user_id())?;
    let subscription = state.hub.subscribe(caller.scope().workspace());
    // "From now on" begins before the answer does: what happens after a client saw its stream open is in it.
    let cursor = match cursor {
        Some(cursor) => Some(cursor),
        None => events::head(state.db.read(), caller.scope().workspace()).await?,
    };
    let (out, frames) = mpsc::channel(CHUNKS);
    let subscriber = Subscriber {
        db: state.db.clone(),
        scope: caller.scope(),
        user: caller.user_id(),
        session: caller.caller().session.id,
        filter,
        cursor,
        subscription,
        out,
        draining: state.draining.clone(),
    };
    // Started once, never again: the specification must not keep the connection's end alive.
    let once = Mutex::new(Some((subscriber, slot)));
    let spec = ChildSpec::worker(
        format!("subscriber:{}", state.ids.next()),
        ActorKind::Subscriber,
        move |_| {
            let taken = once.lock().unwrap_or_else(PoisonError::into_inner).take();
            async move {
                if let Some((subscriber, slot)) = taken {
                    subscriber.run().await?;
                    drop(slot);
                }
                Ok(())
            }
        },
    )
    .tenant(Tenant::new(caller.scope().workspace()))
    .serves(caller.caller().user.email.clone())
    .restart(Restart::Temporary)
    .unrepeatable();
    state.live.start_child(spec).await.map_err(|error| {
        ApiError::new(Code::Unavailable)
            .retry_after(2)
            .caused_by(error)
    })?;
    Ok(sse::response(frames))
}

fn cursor(headers: &HeaderMap, query: Option<&str>) -> ApiResult<Option<EventId>> {
    let header = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    header
        .or(query)
        .filter(|text| !text.is_empty())
        .map(|text| {
            text.parse().map_err(|_| {
                ApiError::validation("last_event_id", "must be the id of an event, like 1.42")
            })
        })
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
