//! `GET /api/nodes/live`: the nodes of the workspace now, then each that changes.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use sea_orm::DbErr;
use serde::Serialize;
use utoipa::ToSchema;

use super::FleetState;
use crate::domains::auth::{Authority, Scoped, WorkspaceScope, can};
use crate::domains::fleet::dto::Node;
use crate::domains::fleet::{FleetHandle, store};
use crate::domains::live::{Beat, Feed, Gone, Opening, Outlet};
use crate::error::ApiResult;
use crate::events::Watch;
use crate::http::problem::Problem;
use crate::http::sse;
use crate::ids::NodeId;

/// Changes within this are sent together.
const GATHER: Duration = Duration::from_millis(50);
/// Nodes that one stream shows.
const MOST: u64 = 10_000;
/// Nodes that are read whole at once.
const PAGE: usize = 500;

/// The events of `/api/nodes/live`: a field for each type, with what its `data:` line holds.
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

/// A stream of `node` events: every node at first, then each that changes, `gone` for each that is deleted, and `beat`
/// every ten seconds. No event has an id: whoever comes back gets every node.
#[utoipa::path(get, path = "/api/nodes/live", tag = "nodes",
    responses((status = 200, content_type = "text/event-stream", body = NodeEvents), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 429, body = Problem)))]
pub(super) async fn live(
    State(state): State<FleetState>,
    caller: Scoped<can::ReadNodes>,
) -> ApiResult<Response> {
    let scope = caller.scope();
    let admission = state.live.admit(Opening {
        what: "nodes",
        authority: Some(Authority::of(caller.caller())),
        workspace: Some(scope.workspace()),
        serves: format!("nodes, {}", caller.caller().user.email),
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
    async fn run(mut self, outlet: Outlet) -> Result<(), DbErr> {
        loop {
            if self.tell(&outlet).await?.is_err() {
                return Ok(());
            }
            self.changes.changed().await;
            tokio::time::sleep(GATHER).await;
            // A reader that is slow gets the latest of each node, not each version.
            if outlet.drained().await.is_err() {
                return Ok(());
            }
        }
    }
}

impl NodeFeed {
    /// Reads the nodes and tells those that are news. The log only wakes us: rows are the truth.
    async fn tell(&mut self, outlet: &Outlet) -> Result<Result<(), Gone>, DbErr> {
        let db = self.fleet.db();
        // Of a large fleet that beats all the time only what is news is read whole, and not all of it at once.
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
                if outlet.send(frame).await.is_err() {
                    return Ok(Err(Gone));
                }
            }
        }
        for id in self.sent.keys().filter(|id| !present.contains_key(id)) {
            let frame = sse::frame("gone", &NodeGone { id: *id });
            if outlet.send(frame).await.is_err() {
                return Ok(Err(Gone));
            }
        }
        self.sent = present;
        Ok(Ok(()))
    }
}
