//! Snapshots go to the gateway's store, one after the other, outside the channel.
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use roost_protocol::ids::AgentId;
use roost_protocol::snapshot::Stored;
use tokio::sync::Notify;

use super::shared::Shared;
use crate::RemoteError;
use crate::snapshot::{TransferError, UploadPace, upload};

/// Most waiting snapshots of one agent. With more, the oldest stay only on this machine.
const WAITING: usize = 20;
/// The first and the longest wait after the gateway's store did not answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The snapshots that wait for their upload.
#[derive(Debug, Default)]
pub struct Uploads {
    waiting: Mutex<BTreeMap<AgentId, VecDeque<Stored>>>,
    wake: Notify,
}

impl Uploads {
    /// A snapshot is on this machine's disk.
    pub fn due(&self, snapshot: Stored) {
        let mut waiting = self.waiting();
        let of = waiting.entry(snapshot.agent).or_default();
        of.retain(|known| known.digest != snapshot.digest);
        of.push_back(snapshot);
        let more = of.len().saturating_sub(WAITING);
        of.drain(..more);
        drop(waiting);
        self.wake.notify_one();
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, BTreeMap<AgentId, VecDeque<Stored>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest snapshot of the next agent: it is worth the most.
    fn next(&self, after: Option<AgentId>) -> Option<Stored> {
        let waiting = self.waiting();
        let later = after.and_then(|after| waiting.range(after..).find(|(id, _)| **id != after));
        let (_, of) = later.or_else(|| waiting.first_key_value())?;
        of.back().cloned()
    }

    /// The agent was purged.
    pub fn forget(&self, agent: AgentId) {
        self.waiting().remove(&agent);
    }

    fn over(&self, snapshot: &Stored) {
        let mut waiting = self.waiting();
        if let Some(of) = waiting.get_mut(&snapshot.agent) {
            of.retain(|known| known.digest != snapshot.digest);
            if of.is_empty() {
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
        let Some(snapshot) = uploads.next(last) else {
            uploads.wake.notified().await;
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
        while let Some(next) = uploads.next(last) {
            last = Some(next.agent);
            uploads.over(&next);
            sent.push(next.digest);
        }
        assert_eq!(sent, ["b", "c", "a"]);
    }

    #[test]
    fn number_of_waiting_snapshots_is_bounded() {
        let uploads = Uploads::default();
        for n in 0..=WAITING {
            uploads.due(stored(1, &n.to_string()));
        }
        assert_eq!(uploads.waiting()[&stored(1, "").agent].len(), WAITING);
        assert_eq!(uploads.waiting()[&stored(1, "").agent][0].digest, "1");
    }
}
