//! Heartbeats on their way to the store: the latest one of each machine waits here, and one worker writes them all in
//! one transaction a second. A machine that beats twice in between costs one write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::dto::Sample;
use super::store_connection::{self as store, Beat};
use crate::db::Db;
use crate::events::{self, Event, Hub, ResourceKind};
use crate::ids::{NodeId, WorkspaceId};
use crate::supervision::{ActorKind, ChildSpec, Failure, NoMessages, Nudge};

/// How often heartbeats are written.
pub const EVERY: Duration = Duration::from_secs(1);

/// The heartbeats that wait.
#[derive(Debug, Clone, Default)]
pub struct Beats {
    waiting: Arc<Mutex<HashMap<NodeId, Beat>>>,
}

impl Beats {
    fn waiting(&self) -> MutexGuard<'_, HashMap<NodeId, Beat>> {
        // Nothing panics while it holds this lock; if it did, the map is still whole.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The latest heartbeat of a machine.
    pub fn put(&self, beat: Beat) {
        self.waiting().insert(beat.fence.node, beat);
    }

    /// The worker that writes them. Position: child of `fleet`; permanent; a batch that fails is lost with its
    /// incarnation, the next heartbeat brings it again.
    pub fn writer(self, db: Db, hub: Hub) -> ChildSpec<NoMessages> {
        ChildSpec::periodic(
            "health-writer",
            ActorKind::HealthWriter,
            EVERY,
            &Nudge::default(),
            move |_| {
                let (beats, db, hub) = (self.clone(), db.clone(), hub.clone());
                async move { beats.write(&db, &hub).await }
            },
        )
        .serves("the latest health of all machines")
    }

    async fn write(&self, db: &Db, hub: &Hub) -> Result<(), Failure> {
        let batch: Vec<Beat> = std::mem::take(&mut *self.waiting()).into_values().collect();
        if batch.is_empty() {
            return Ok(());
        }
        metrics::histogram!("roost_health_batch_nodes").record(batch.len() as f64);
        // A change of numbers is news only for those who look now; whoever comes later reads the row.
        let watched = hub.workspaces();
        let mut news: HashMap<WorkspaceId, Vec<Event>> = HashMap::new();
        let mut tx = db.write().await?;
        let mut latest = None;
        for beat in &batch {
            let sample = serde_json::to_value(Sample::of(&beat.beat, beat.at))?;
            latest = latest.max(Some(beat.at));
            if let Some(version) = store::write_beat(&tx, beat, sample).await?
                && watched.contains(&beat.workspace)
            {
                let event = Event::changed(ResourceKind::Node, beat.fence.node, version);
                news.entry(beat.workspace).or_default().push(event);
            }
        }
        for (workspace, events) in news {
            events::append(&mut tx, workspace, latest.unwrap_or_default(), events).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
