//! `/api/fleet/meshvpn`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{
    MeshDevice, MeshDeviceNode, MeshDevices, MeshNetwork, MeshSetting, NewMeshNetwork,
};
use super::entity::network;
use super::model::MeshKind;
use super::{MeshContext, MeshError, commands, store};
use roost_machines::fleet;
use roost_platform::ids::MeshNetworkId;
use roost_tenancy::auth::{self, Scoped, UserBrief, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// The most machines of a workspace that are compared with devices.
const MOST_NODES: u64 = 5_000;

/// The routes.
pub fn router() -> OpenApiRouter<MeshContext> {
    OpenApiRouter::new()
        .routes(routes!(setting, connect, disconnect))
        .routes(routes!(devices))
}

/// The mesh network of the workspace, if any. The answer has neither its key nor its name.
#[utoipa::path(get, path = "/api/fleet/meshvpn", tag = "fleet",
    responses((status = 200, body = MeshSetting), (status = 401, body = Problem)))]
async fn setting(
    State(state): State<MeshContext>,
    caller: Scoped<can::ReadNodes>,
) -> ApiResult<Json<MeshSetting>> {
    let row = store::get(state.db.read(), caller.scope()).await?;
    let network = match row {
        Some(row) => Some(shown(&state, row).await?),
        None => None,
    };
    Ok(Json(MeshSetting { network }))
}

/// Connects a mesh network and replaces the one before. Its key goes to the secret broker.
#[utoipa::path(post, path = "/api/fleet/meshvpn", operation_id = "connect_mesh", tag = "fleet", request_body = NewMeshNetwork,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = MeshNetwork), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn connect(
    State(state): State<MeshContext>,
    caller: Scoped<can::ManageNodes>,
    id: CreationId<MeshNetworkId>,
    Valid(new): Valid<NewMeshNetwork>,
) -> ApiResult<(StatusCode, Json<MeshNetwork>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::connect(&state, scope, user, id.or_fresh(&state.ids), new).await?;
    Ok((StatusCode::CREATED, Json(shown(&state, row).await?)))
}

/// Disconnects the mesh network, and deletes its key.
#[utoipa::path(delete, path = "/api/fleet/meshvpn", operation_id = "disconnect_mesh", tag = "fleet",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn disconnect(
    State(state): State<MeshContext>,
    caller: Scoped<can::ManageNodes>,
) -> ApiResult<StatusCode> {
    commands::disconnect(&state, caller.scope(), caller.user_id()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The devices of the mesh network, each with the workspace's machine that it is, if any. An answer is kept for ten
/// seconds.
#[utoipa::path(get, path = "/api/fleet/meshvpn/devices", tag = "fleet",
    responses((status = 200, body = MeshDevices), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn devices(
    State(state): State<MeshContext>,
    caller: Scoped<can::ReadNodes>,
) -> ApiResult<Json<MeshDevices>> {
    let (db, scope) = (state.db.read(), caller.scope());
    let row = store::get(db, scope).await?.ok_or(MeshError::None)?;
    let reading = state.devices.of(&state, &row).await;
    let reading = reading.map_err(MeshError::Refused)?;
    let nodes = fleet::list(db, scope, None, MOST_NODES).await?;
    let now = state.clock.now();
    let items = reading.devices.iter().map(|device| {
        let node = nodes
            .iter()
            .find(|node| node.mesh_ip.as_deref().is_some_and(|ip| device.has(ip)));
        let addresses: Vec<String> = device.addresses.iter().map(ToString::to_string).collect();
        MeshDevice {
            id: device.id.clone(),
            name: device.name.clone(),
            os: device.os.clone(),
            ip: addresses.first().cloned(),
            addresses,
            online: device.is_online(now),
            last_seen: device.last_seen,
            node: node.map(|node| MeshDeviceNode {
                id: node.id,
                name: node.called(),
            }),
        }
    });
    Ok(Json(MeshDevices {
        items: items.collect(),
        read_at: reading.at,
    }))
}

async fn shown(state: &MeshContext, row: network::Model) -> ApiResult<MeshNetwork> {
    let people = auth::users_by_id(state.db.read(), [row.created_by]).await?;
    Ok(MeshNetwork {
        id: row.id,
        // An unknown kind is shown as Tailscale; no request uses it.
        kind: MeshKind::from_stored(&row.kind).unwrap_or(MeshKind::Tailscale),
        base_url: row.base_url,
        created_by: people.into_iter().next().map(UserBrief::from),
        created_at: row.created_at,
    })
}
