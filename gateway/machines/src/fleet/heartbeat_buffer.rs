//! Collects heartbeats until they are stored. The latest one of each machine waits here, and one worker writes them all
//! in one transaction each second. Two heartbeats of a machine within a second cost one write. Each written heartbeat
//! also counts for the averages of its minute. The same transaction writes those averages when the minute is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::dto::Sample;
use super::history::model::minute_of;
use super::history::{self, Gathered};
use super::store_connection::{self as store, LatestHeartbeat};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{self, Event, Hub, ResourceKind};
use roost_platform::ids::{NodeId, WorkspaceId};
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, NoMessages, Nudge};

/// How often heartbeats are written.
pub const EVERY: Duration = Duration::from_secs(1);

/// The heartbeats that wait.
#[derive(Debug, Clone, Default)]
pub struct HeartbeatBuffer {
    waiting: Arc<Mutex<HashMap<NodeId, LatestHeartbeat>>>,
    gathered: Arc<Mutex<Gathered>>,
}

impl HeartbeatBuffer {
    fn waiting(&self) -> MutexGuard<'_, HashMap<NodeId, LatestHeartbeat>> {
        // No code panics while it holds this lock; if it did, the map would still be consistent.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        // As above: each addition and removal leaves it consistent.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The latest heartbeat of a machine.
    pub fn put(&self, latest: LatestHeartbeat) {
        self.waiting().insert(latest.fence.node, latest);
    }

    /// The worker that writes them. Position: child of `fleet`; permanent. A batch that fails is lost with its
    /// incarnation; the next heartbeat brings the same information.
    pub fn writer(self, db: Db, clock: SharedClock, hub: Hub) -> ChildSpec<NoMessages> {
        ChildSpec::periodic(
            "health-writer",
            ActorKind::HealthWriter,
            EVERY,
            &Nudge::default(),
            move |_| {
                let (heartbeats, db, hub) = (self.clone(), db.clone(), hub.clone());
                let clock = clock.clone();
                async move { heartbeats.write(&db, &clock, &hub).await }
            },
        )
        .serves("the latest health of all machines")
    }

    pub(super) async fn write(
        &self,
        db: &Db,
        clock: &SharedClock,
        hub: &Hub,
    ) -> Result<(), Failure> {
        let batch: Vec<LatestHeartbeat> =
            std::mem::take(&mut *self.waiting()).into_values().collect();
        let over = self.gathered().over(minute_of(clock.now()));
        if batch.is_empty() && over.is_empty() {
            return Ok(());
        }
        metrics::histogram!("roost_health_batch_nodes").record(batch.len() as f64);
        // Changed numbers become events only while somebody watches the workspace; later readers read the row.
        let watched = hub.workspaces();
        let mut changed: HashMap<WorkspaceId, Vec<Event>> = HashMap::new();
        let mut tx = db.write().await?;
        let mut newest = None;
        let mut samples = Vec::with_capacity(batch.len());
        for latest in &batch {
            let sample = Sample::of(&latest.heartbeat, latest.at);
            let row = serde_json::to_value(&sample)?;
            newest = newest.max(Some(latest.at));
            // A heartbeat of a connection that is not the newest does not count, not even for an average (P6).
            let Some(version) = store::write_heartbeat(&tx, latest, row).await? else {
                continue;
            };
            samples.push((latest.fence.node, minute_of(latest.at), sample));
            if watched.contains(&latest.workspace) {
                let event = Event::reported(ResourceKind::Node, latest.fence.node, version);
                changed.entry(latest.workspace).or_default().push(event);
            }
        }
        if !over.is_empty() {
            history::store::write(&tx, &over).await?;
        }
        for (workspace, events) in changed {
            events::append(&mut tx, workspace, newest.unwrap_or_default(), events).await?;
        }
        tx.commit().await?;
        let mut gathered = self.gathered();
        gathered.written(&over);
        for (node, minute, sample) in &samples {
            gathered.add(*node, *minute, sample);
        }
        Ok(())
    }
}
