//! `GET /api/nodes/live`: the nodes of the workspace now, then each node that changes.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use sea_orm::DbErr;
use serde::Serialize;
use utoipa::ToSchema;

use super::FleetContext;
use crate::fleet::dto::Node;
use crate::fleet::{FleetHandle, store};
use roost_platform::events::Watch;
use roost_platform::ids::NodeId;
use roost_tenancy::auth::{Authority, Scoped, WorkspaceScope, can};
use roost_tenancy::streams::{Beat, Feed, Gone, Opening, SendQueue, Wire};
use roost_web::error::ApiResult;
use roost_web::problem::Problem;
use roost_web::sse;

/// Changes within this time are sent together.
const GATHER: Duration = Duration::from_millis(50);
/// The most nodes that one stream shows.
const MOST: u64 = 10_000;
/// Nodes that are read with all columns at once.
const PAGE: usize = 500;

/// The events of `/api/nodes/live`: one field for each type, with the content of its `data:` line.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
pub(super) struct NodeEvents {
    node: Node,
    gone: NodeGone,
    beat: Beat,
}

/// A node was deleted.
#[derive(Serialize, ToSchema)]
pub(super) struct NodeGone {
    id: NodeId,
}

/// A stream of `node` events: first every node, then each node that changes. It sends `gone` for each node that is
/// deleted and `beat` every ten seconds. Events have no ids: a client that connects again gets every node.
#[utoipa::path(get, path = "/api/nodes/live", tag = "nodes",
    responses((status = 200, content_type = "text/event-stream", body = NodeEvents), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 429, body = Problem)))]
pub(super) async fn live(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    wire: Wire,
) -> ApiResult<Response> {
    let scope = caller.scope();
    let admission = state.live.admit(Opening {
        what: "nodes",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(scope.workspace()),
        serves: format!("nodes, {}", caller.caller().user.email),
        wire,
    })?;
    let feed = NodeFeed {
        changes: state.hub.watch(scope.workspace()),
        fleet: state.fleet,
        scope,
        sent: HashMap::new(),
    };
    admission.open(feed).await
}

/// The nodes for one reader.
struct NodeFeed {
    fleet: FleetHandle,
    scope: WorkspaceScope,
    changes: Watch,
    /// Versions that the reader has.
    sent: HashMap<NodeId, i64>,
}

impl Feed for NodeFeed {
    async fn run(mut self, queue: SendQueue) -> Result<(), DbErr> {
        loop {
            if self.publish(&queue).await?.is_err() {
                return Ok(());
            }
            self.changes.changed().await;
            tokio::time::sleep(GATHER).await;
            // A slow reader gets the latest version of each node, not every version.
            if queue.drained().await.is_err() {
                return Ok(());
            }
        }
    }
}

impl NodeFeed {
    /// Reads the nodes and sends the changed ones. The log only wakes the feed: the rows are the truth.
    async fn publish(&mut self, queue: &SendQueue) -> Result<Result<(), Gone>, DbErr> {
        let db = self.fleet.db();
        // A large fleet sends heartbeats all the time, so only changed nodes are read whole, and in parts.
        let present: HashMap<NodeId, i64> = store::versions(db.read(), self.scope, MOST)
            .await?
            .into_iter()
            .collect();
        let mut news: Vec<NodeId> = present
            .iter()
            .filter(|(id, version)| self.sent.get(id) != Some(version))
            .map(|(id, _)| *id)
            .collect();
        news.sort_unstable_by_key(|id| id.0);
        for some in news.chunks(PAGE) {
            let nodes = store::these(db.read(), self.scope, some).await?;
            let now = self.fleet.clock().now();
            for row in store::with_health(db.read(), db.backend(), nodes).await? {
                let frame = sse::frame("node", &Node::of(row, now));
                if queue.send(frame).await.is_err() {
                    return Ok(Err(Gone));
                }
            }
        }
        for id in self.sent.keys().filter(|id| !present.contains_key(id)) {
            let frame = sse::frame("gone", &NodeGone { id: *id });
            if queue.send(frame).await.is_err() {
                return Ok(Err(Gone));
            }
        }
        self.sent = present;
        Ok(Ok(()))
    }
}
