//! The feed of a reader: the landmarks, again when one appears, changes or goes, and between them what happens at them.

use std::time::Duration;

use bytes::Bytes;
use sea_orm::DbErr;
use serde::Deserialize;

use super::landmarks::landmarks;
use super::read;
use roost_platform::db::Db;
use roost_platform::events::{Filter, Hub, StoredEvent, Watch};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::streams::{EventFeed, Feed, Gone, SendQueue};
use roost_web::sse;

/// Changes within this time are drawn together.
const GATHER: Duration = Duration::from_millis(250);
/// The events that happen at landmarks.
const TYPES: [&str; 4] = [
    "agent.status",
    "world.touch",
    "node.activity",
    "topology.update",
];
/// The resources that are landmarks, and sandboxes: an edge leads to the machine of each.
const KINDS: [&str; 7] = [
    "team",
    "claw",
    "node",
    "mission",
    "sandbox",
    "model",
    "app_connection",
];

/// The world for one reader.
pub(super) struct WorldFeed {
    db: Db,
    hub: Hub,
    scope: WorkspaceScope,
    changes: Watch,
    /// The landmarks that the reader has.
    sent: Option<Bytes>,
}

impl WorldFeed {
    /// Misses no change of a landmark from now on.
    pub(super) fn new(db: &Db, hub: &Hub, scope: WorkspaceScope) -> Self {
        Self {
            changes: hub.watch_for(scope.workspace(), is_of_a_landmark),
            db: db.clone(),
            hub: hub.clone(),
            scope,
            sent: None,
        }
    }

    /// Reads the landmarks, and sends them if they are others than the reader has.
    async fn draw(&mut self, queue: &SendQueue) -> Result<Result<(), Gone>, DbErr> {
        let facts = read::facts(&self.db, self.scope).await?;
        let frame = sse::frame("topology.update", &landmarks(&facts));
        if self.sent.as_ref() == Some(&frame) {
            return Ok(Ok(()));
        }
        let sent = queue.send(frame.clone()).await;
        self.sent = Some(frame);
        Ok(sent)
    }
}

impl Feed for WorldFeed {
    async fn run(mut self, queue: SendQueue) -> Result<(), DbErr> {
        if self.draw(&queue).await?.is_err() {
            return Ok(());
        }
        let filter = Filter {
            types: TYPES.map(str::to_owned).into(),
            ..Filter::default()
        };
        let workspace = self.scope.workspace();
        let events = EventFeed::begin(&self.db, &self.hub, workspace, filter, None, &queue).await?;
        loop {
            // A reader that was too slow for the live events gets them from the store.
            if events.catch_up().await?.is_err() {
                return Ok(());
            }
            tokio::select! {
                () = events.fell_behind() => continue,
                () = self.changes.changed() => {}
            }
            tokio::time::sleep(GATHER).await;
            if self.draw(&queue).await?.is_err() {
                return Ok(());
            }
        }
    }
}

/// Whether an event says that a landmark changed.
fn is_of_a_landmark(event: &StoredEvent) -> bool {
    #[derive(Deserialize)]
    struct Changed<'a> {
        kind: &'a str,
    }
    event.kind == "resource.changed"
        && serde_json::from_slice(event.data())
            .is_ok_and(|changed: Changed<'_>| KINDS.contains(&changed.kind))
}
