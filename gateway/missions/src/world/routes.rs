//! `GET /api/world/stream`.

use axum::extract::State;
use axum::response::Response;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::WorldContext;
use super::feed::WorldFeed;
use roost_platform::events::{AgentStatus, NodeActivity, TopologyUpdate, WorldTouch};
use roost_tenancy::auth::{Authority, Scoped, can};
use roost_tenancy::streams::{Beat, Opening, Wire};
use roost_web::error::ApiResult;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<WorldContext> {
    OpenApiRouter::new().routes(routes!(stream))
}

/// The events of `/api/world/stream`: one field for each type, with the content of its `data:` line.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
struct WorldEvents {
    #[schema(rename = "topology.update")]
    topology_update: TopologyUpdate,
    #[schema(rename = "world.touch")]
    world_touch: WorldTouch,
    #[schema(rename = "node.activity")]
    node_activity: NodeActivity,
    #[schema(rename = "agent.status")]
    agent_status: AgentStatus,
    beat: Beat,
}

/// The world of the workspace (server-sent events). A `topology.update` of the formation `live` without an id has the
/// landmarks: missions in flight, machines, teams and agents, at most 1,000 of each. An edge of the kind `flow` leads from the
/// owner of a running sandbox to its machine (`machine:local` is the gateway's own host). It is the first event, and it comes
/// again when a landmark appears, changes or goes; the newest one replaces those before it. The other events say what happens
/// at the landmarks, as in `/api/events`. A client that connects again gets the landmarks again.
#[utoipa::path(get, path = "/api/world/stream", tag = "events", operation_id = "world",
    responses((status = 200, content_type = "text/event-stream", body = WorldEvents), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 429, body = Problem)))]
async fn stream(
    State(state): State<WorldContext>,
    caller: Scoped<can::ReadEvents>,
    wire: Wire,
) -> ApiResult<Response> {
    let scope = caller.scope();
    let admission = state.live.admit(Opening {
        what: "world",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(scope.workspace()),
        serves: format!("world, {}", caller.caller().user.email),
        wire,
    })?;
    let feed = WorldFeed::new(&state.db, &state.hub, scope);
    admission.open(feed).await
}
