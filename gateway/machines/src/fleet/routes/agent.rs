//! `GET /api/nodes/agent`: the channel of a machine's daemon. The handler checks the token before the upgrade; the node
//! actor does everything after it.

use axum::Extension;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use roost_protocol::limits::MAX_FRAME_BYTES;

use super::FleetContext;
use crate::fleet::machine_token::machine_of;
use crate::fleet::node::NodeMsg;
use roost_web::connections::{Connection, Proof};
use roost_web::error::{ApiError, ApiResult};
use roost_web::problem::Problem;

/// The read buffer of a machine's socket. The library allocates it at once and keeps it; a larger frame grows it for as
/// long as the frame is read. A heartbeat has some hundred bytes.
const READ_BUFFER: usize = 2 * 1024;

/// The WebSocket of a machine, authenticated by its token.
#[utoipa::path(get, path = "/api/nodes/agent", tag = "nodes", security(()),
    responses((status = 101), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn agent(
    State(state): State<FleetContext>,
    connection: Option<Extension<Connection>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let (token_sha256, node) = machine_of(state.fleet.db(), &headers).await?;
    let upgrade = upgrade.map_err(|_| {
        ApiError::validation("upgrade", "this route is a WebSocket; connect with roostd")
    })?;
    if let Some(Extension(connection)) = connection
        && let Err(full) = connection.prove(Proof::Machine)
    {
        return Ok(full.into_response());
    }
    let actor = state.fleet.ensure(&node).await?;
    Ok(upgrade
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(16 * 1024)
        .max_write_buffer_size(2 * MAX_FRAME_BYTES)
        .on_upgrade(async move |socket| {
            let opened = NodeMsg::SocketOpened {
                socket: Box::new(socket),
                token_sha256,
            };
            if let Err(error) = actor.cast(opened) {
                tracing::warn!(%error, "a machine's socket was dropped");
            }
        }))
}
