//! `GET /api/nodes/live`: the nodes of the workspace now, then each that changes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::Event;
use futures::Stream;

use super::FleetState;
use crate::domains::auth::{Scoped, WorkspaceScope, can};
use crate::domains::fleet::dto::Node;
use crate::domains::fleet::store;
use crate::error::ApiResult;
use crate::events::Subscription;
use crate::http::problem::Problem;
use crate::ids::NodeId;

/// How often a stream says that it lives.
const BEAT: Duration = Duration::from_secs(10);
/// A stream ends after this; the client comes back, and is authorised again.
const ROTATION: Duration = Duration::from_secs(600);
/// Changes within this are sent together.
const GATHER: Duration = Duration::from_millis(50);
/// Nodes that one stream shows.
const MOST: u64 = 10_000;

/// A stream of `node` events: every node at first, then each that changes, and `beat` every ten seconds.
#[utoipa::path(get, path = "/api/nodes/live", tag = "nodes",
    responses((status = 200, content_type = "text/event-stream", body = Node), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
pub(super) async fn live(
    State(state): State<FleetState>,
    caller: Scoped<can::ReadNodes>,
) -> ApiResult<(
    [(&'static str, &'static str); 1],
    Sse<impl Stream<Item = Result<Event, Infallible>>>,
)> {
    let scope = caller.scope();
    let until = state.fleet.clock().monotonic() + ROTATION;
    let changes = state.hub.subscribe(scope.workspace());
    let watch = Watch {
        state,
        scope,
        changes,
        sent: HashMap::new(),
        due: Vec::new(),
        first: true,
        until,
    };
    let stream = futures::stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok(event), watch))
    });
    Ok(([("x-accel-buffering", "no")], Sse::new(stream)))
}

struct Watch {
    state: FleetState,
    scope: WorkspaceScope,
    changes: Subscription,
    /// Versions that the client has.
    sent: HashMap<NodeId, i64>,
    due: Vec<Event>,
    first: bool,
    until: std::time::Instant,
}

impl Watch {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.due.pop() {
                return Some(event);
            }
            if self.state.fleet.clock().monotonic() >= self.until {
                return None;
            }
            if !std::mem::take(&mut self.first) {
                match tokio::time::timeout(BEAT, self.changes.changed()).await {
                    Err(_) => return Some(Event::default().event("beat").data("{}")),
                    Ok(_) => tokio::time::sleep(GATHER).await,
                }
            }
            if let Err(error) = self.read().await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a stream of nodes could not read the store"
                );
                return None;
            }
        }
    }

    /// Reads the nodes and keeps those that are news. The log only wakes us: rows are the truth.
    async fn read(&mut self) -> Result<(), sea_orm::DbErr> {
        let db = self.state.fleet.db();
        let nodes = store::list(db.read(), self.scope, None, MOST).await?;
        let present: HashMap<NodeId, i64> =
            nodes.iter().map(|node| (node.id, node.version)).collect();
        let news: Vec<_> = nodes
            .into_iter()
            .filter(|node| self.sent.get(&node.id) != Some(&node.version))
            .collect();
        let now = self.state.fleet.clock().now();
        for row in store::with_health(db.read(), db.backend(), news).await? {
            let node = Node::of(row, now);
            if let Ok(event) = Event::default().event("node").json_data(&node) {
                self.due.push(event);
            }
        }
        for gone in self.sent.keys().filter(|id| !present.contains_key(id)) {
            self.due.push(
                Event::default()
                    .event("gone")
                    .data(format!("{{\"id\":\"{gone}\"}}")),
            );
        }
        self.sent = present;
        Ok(())
    }
}
