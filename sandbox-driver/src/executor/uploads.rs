//! Snapshots go to the gateway's store, one after the other, outside the channel.
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use roost_protocol::ids::AgentId;
use roost_protocol::snapshot::Stored;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::shared::Shared;
use crate::RemoteError;
use crate::snapshot::{TransferError, UploadPace, upload};

/// Most waiting snapshots of one agent. With more, the oldest stay only on this machine.
const WAITING: usize = 20;
/// The first and the longest wait after the gateway's store did not answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long an agent's snapshots rest after the gateway said that they stay here. The setting may change meanwhile.
const REST: Duration = Duration::from_secs(180);

/// The snapshots that wait for their upload.
#[derive(Debug, Default)]
pub struct Uploads {
    waiting: Mutex<BTreeMap<AgentId, Waiting>>,
    wake: Notify,
}

/// The snapshots of one agent, oldest first.
#[derive(Debug, Default)]
struct Waiting {
    snapshots: VecDeque<Stored>,
    /// Its workspace keeps them here; the gateway is asked again then.
    rests_until: Option<Instant>,
}

impl Waiting {
    fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }
}

impl Uploads {
    /// A snapshot is on this machine's disk.
    pub fn due(&self, snapshot: Stored) {
        let mut waiting = self.waiting();
        let of = waiting.entry(snapshot.agent).or_default();
        of.rests_until = None;
        let of = &mut of.snapshots;
        of.retain(|known| known.digest != snapshot.digest);
        of.push_back(snapshot);
        let more = of.len().saturating_sub(WAITING);
        of.drain(..more);
        drop(waiting);
        self.wake.notify_one();
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, BTreeMap<AgentId, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest snapshot of the next agent that does not rest: it is worth the most.
    fn next(&self, after: Option<AgentId>, now: Instant) -> Option<Stored> {
        let waiting = self.waiting();
        let mut awake = waiting.iter().filter(|(_, of)| !of.rests(now));
        let later = awake.clone().find(|(id, _)| Some(**id) > after);
        let (_, of) = later.or_else(|| awake.next())?;
        of.snapshots.back().cloned()
    }

    /// The snapshots of the agent rest until then.
    fn rest(&self, agent: AgentId, until: Instant) {
        if let Some(of) = self.waiting().get_mut(&agent) {
            of.rests_until = Some(until);
        }
    }

    /// When the first of the agents that rest wakes.
    fn wakes_at(&self) -> Option<Instant> {
        let waiting = self.waiting();
        waiting.values().filter_map(|of| of.rests_until).min()
    }

    /// Waits until there may be something to send.
    async fn something(&self) {
        let Some(at) = self.wakes_at() else {
            return self.wake.notified().await;
        };
        tokio::select! {
            () = self.wake.notified() => {}
            () = tokio::time::sleep_until(at) => {}
        }
    }

    /// The agent was purged.
    pub fn forget(&self, agent: AgentId) {
        self.waiting().remove(&agent);
    }

    fn over(&self, snapshot: &Stored) {
        let mut waiting = self.waiting();
        if let Some(of) = waiting.get_mut(&snapshot.agent) {
            of.snapshots.retain(|known| known.digest != snapshot.digest);
            if of.snapshots.is_empty() {
                waiting.remove(&snapshot.agent);
            }
        }
    }
}

/// Uploads what is due, until the executor stops. Does nothing without a store.
pub async fn work(shared: &Arc<Shared>) {
    let store = &shared.engine.snapshots;
    let Some(remote) = store.remote() else {
        return;
    };
    let uploads = shared.snapshots.uploads();
    let pace = UploadPace::new(shared.policy.upload_limit);
    // An earlier run may have ended before it sent them.
    for snapshot in store.all_latest() {
        uploads.due(snapshot);
    }
    let (mut pause, mut last) = (FIRST_WAIT, None);
    loop {
        let Some(snapshot) = uploads.next(last, Instant::now()) else {
            uploads.something().await;
            continue;
        };
        last = Some(snapshot.agent);
        match upload(store, (remote, &pace), &snapshot).await {
            Ok(()) => {
                pause = FIRST_WAIT;
                tracing::debug!(agent = %snapshot.agent, digest = snapshot.digest, "a snapshot is at the gateway");
                uploads.over(&snapshot);
            }
            Err(TransferError::Remote(RemoteError::Away(error))) => {
                tracing::debug!(error, "a snapshot waits for the gateway's store");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_WAIT);
            }
            Err(TransferError::Remote(RemoteError::Stays)) => {
                tracing::debug!(agent = %snapshot.agent, "the setting of the workspace keeps a snapshot on this machine");
                uploads.rest(snapshot.agent, Instant::now() + REST);
            }
            Err(error) => {
                // It is still on this machine, and the next snapshot is sent again.
                tracing::warn!(%error, agent = %snapshot.agent, digest = snapshot.digest, "a snapshot is kept only on this machine");
                uploads.over(&snapshot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::ids::{SandboxId, WorkspaceId};

    fn stored(agent: u128, digest: &str) -> Stored {
        let id = uuid::Uuid::from_u128;
        Stored {
            sandbox: SandboxId(id(agent)),
            workspace: WorkspaceId(id(1)),
            agent: AgentId(id(agent)),
            digest: digest.to_owned(),
            files: 0,
            bytes: 0,
            taken_at_s: 0,
            left_out: Vec::new(),
        }
    }

    #[test]
    fn agents_take_turns_and_their_newest_snapshot_is_first() {
        let uploads = Uploads::default();
        for (agent, digest) in [(1, "a"), (1, "b"), (2, "c")] {
            uploads.due(stored(agent, digest));
        }
        let (mut last, mut sent) = (None, Vec::new());
        while let Some(next) = uploads.next(last, Instant::now()) {
            last = Some(next.agent);
            uploads.over(&next);
            sent.push(next.digest);
        }
        assert_eq!(sent, ["b", "c", "a"]);
    }

    #[test]
    fn snapshots_that_stay_rest_until_their_time_or_until_a_new_one() {
        let uploads = Uploads::default();
        uploads.due(stored(1, "a"));
        uploads.due(stored(2, "b"));
        let now = Instant::now();
        let digest = |now| uploads.next(None, now).map(|next| next.digest);
        uploads.rest(AgentId(uuid::Uuid::from_u128(1)), now + REST);
        assert_eq!(digest(now).as_deref(), Some("b"), "the other agent goes on");
        uploads.over(&stored(2, "b"));
        assert_eq!(digest(now), None);
        assert_eq!(uploads.wakes_at(), Some(now + REST));
        assert_eq!(digest(now + REST).as_deref(), Some("a"));
        uploads.due(stored(1, "c"));
        assert_eq!(digest(now).as_deref(), Some("c"));
        assert_eq!(uploads.wakes_at(), None);
    }

    #[test]
    fn number_of_waiting_snapshots_is_bounded() {
        let uploads = Uploads::default();
        for n in 0..=WAITING {
            uploads.due(stored(1, &n.to_string()));
        }
        let waiting = uploads.waiting();
        let of = &waiting[&stored(1, "").agent].snapshots;
        assert_eq!((of.len(), of[0].digest.as_str()), (WAITING, "1"));
    }
}
