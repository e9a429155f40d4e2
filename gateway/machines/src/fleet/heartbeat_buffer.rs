//! Collects heartbeats until they are stored. The reader of a machine's socket puts the latest one of the machine here,
//! and one worker writes them all in one transaction each second, with one statement for many machines. Two heartbeats
//! of a machine within a second cost one write. Each written heartbeat also counts for the averages of its minute. The
//! same transaction writes those averages when the minute is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use roost_protocol::vitals::Heartbeat;

use super::history::model::minute_of;
use super::history::{self, Gathered};
use super::pulse::Pulse;
use super::sample::Sample;
use super::store_beats::{self as store, AT_ONCE, Beat};
use super::store_connection::{Claims, Wanted};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{self, Event, Hub, ResourceKind};
use roost_platform::ids::{NodeId, WorkspaceId};
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, NoMessages, Nudge};

/// How often heartbeats are written.
pub const EVERY: Duration = Duration::from_secs(1);

/// The heartbeats that wait.
#[derive(Clone, Default)]
pub struct HeartbeatBuffer {
    waiting: Arc<Mutex<HashMap<NodeId, Latest>>>,
    gathered: Arc<Mutex<Gathered>>,
}

impl HeartbeatBuffer {
    fn waiting(&self) -> MutexGuard<'_, HashMap<NodeId, Latest>> {
        // No code panics while it holds this lock; if it did, the map would still be consistent.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        // As above: each addition and removal leaves it consistent.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The latest heartbeat of a machine. One of an older connection never takes the place of a newer one's (P6).
    /// What only some heartbeats say stays when another takes its place.
    pub(super) fn put(&self, pulse: Arc<Pulse>, mut heartbeat: Heartbeat, at: DateTime<Utc>) {
        let (node, epoch) = (pulse.fence.node, pulse.fence.epoch);
        let mut waiting = self.waiting();
        if waiting
            .get(&node)
            .is_none_or(|present| present.pulse.fence.epoch <= epoch)
        {
            let before = waiting
                .get_mut(&node)
                .filter(|present| present.pulse.fence.epoch == epoch);
            if let Some(before) = before
                && heartbeat.images.is_none()
            {
                heartbeat.images = before.heartbeat.images.take();
            }
            let latest = Latest {
                pulse,
                heartbeat,
                at,
            };
            waiting.insert(node, latest);
        }
    }

    /// The worker that writes them. Position: child of `fleet`; permanent. A batch that fails is lost with its
    /// incarnation; the next heartbeat brings the same information.
    pub fn writer(
        self,
        db: Db,
        clock: SharedClock,
        hub: Hub,
        wanted: Arc<Wanted>,
    ) -> ChildSpec<NoMessages> {
        ChildSpec::periodic(
            "health-writer",
            ActorKind::HealthWriter,
            EVERY,
            &Nudge::default(),
            move |_| {
                let (heartbeats, db, hub) = (self.clone(), db.clone(), hub.clone());
                let (clock, wanted) = (clock.clone(), wanted.clone());
                async move { heartbeats.write(&db, &clock, &hub, &wanted).await }
            },
        )
        .serves("the latest health of all machines")
    }

    pub(super) async fn write(
        &self,
        db: &Db,
        clock: &SharedClock,
        hub: &Hub,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let batch: Vec<Latest> = std::mem::take(&mut *self.waiting()).into_values().collect();
        let over = self.gathered().over(minute_of(clock.now()));
        if batch.is_empty() && over.is_empty() {
            return Ok(());
        }
        metrics::histogram!("roost_health_batch_nodes").record(batch.len() as f64);
        // Changed numbers become events only while somebody watches the workspace; later readers read the row.
        let watched = hub.workspaces();
        let mut changed: HashMap<WorkspaceId, Vec<Event>> = HashMap::new();
        let newest = batch.iter().map(|latest| latest.at).max();
        let mut tx = db.write().await?;
        let mut samples = Vec::with_capacity(batch.len());
        for some in batch.chunks(AT_ONCE) {
            let beats = some
                .iter()
                .map(|latest| latest.beat(wanted))
                .collect::<Vec<_>>();
            // A heartbeat of a connection that is not the newest does not count, not even for an average (P6).
            let written = store::write(&tx, &beats).await?;
            for (latest, beat) in some.iter().zip(beats) {
                let node = latest.pulse.fence.node;
                let Some(version) = written.get(&node) else {
                    continue;
                };
                samples.push((node, minute_of(latest.at), beat.sample));
                if watched.contains(&latest.pulse.workspace) {
                    let event = Event::reported(ResourceKind::Node, node, *version);
                    let events = changed.entry(latest.pulse.workspace).or_default();
                    events.push(event);
                }
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

/// The latest heartbeat of one connection.
struct Latest {
    pulse: Arc<Pulse>,
    heartbeat: Heartbeat,
    at: DateTime<Utc>,
}

impl Latest {
    fn beat(&self, wanted: &Wanted) -> Beat<'_> {
        Beat {
            fence: &self.pulse.fence,
            hold_ms: self.pulse.hold_ms(),
            at: self.at,
            heartbeat: &self.heartbeat,
            claims: Claims::in_heartbeat(&self.heartbeat, wanted),
            sample: Sample::of(&self.heartbeat, self.at),
        }
    }
}
