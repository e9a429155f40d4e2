//! When snapshots are taken: after each command, from time to time in a long one, and again when one failed.
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use roost_protocol::control::ControlReply;
use roost_protocol::ids::SandboxId;
use roost_protocol::operation::{Exec, Operation};
use roost_protocol::report::ErrorKind;
use roost_protocol::snapshot::Stored;
use tokio::sync::Notify;

use super::event::Event;
use super::shared::Shared;
use super::uploads::{self, Uploads};
use crate::chaos::KillPoint;
use crate::policy::PROBE;

/// The sandboxes whose workspace must be looked at.
#[derive(Debug)]
pub struct Snapshots {
    /// How often one is taken while a command runs, and how long after a failure.
    every: Duration,
    due: Mutex<Due>,
    wake: Notify,
    uploads: Uploads,
}

#[derive(Debug, Default)]
struct Due {
    waiting: BTreeSet<SandboxId>,
    /// Their last snapshot failed.
    failed: BTreeSet<SandboxId>,
}

impl Snapshots {
    /// Takes one so often in a long command.
    pub fn new(every: Duration) -> Self {
        Self {
            every,
            due: Mutex::default(),
            wake: Notify::new(),
            uploads: Uploads::default(),
        }
    }

    /// A snapshot of this sandbox is due. More than one wish at a time is one snapshot.
    pub fn due(&self, sandbox: SandboxId) {
        self.state().waiting.insert(sandbox);
        self.wake.notify_one();
    }

    pub fn uploads(&self) -> &Uploads {
        &self.uploads
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<SandboxId> {
        self.state().waiting.pop_first()
    }

    fn ended(&self, sandbox: SandboxId, failed: bool) {
        let mut state = self.state();
        match failed {
            true => state.failed.insert(sandbox),
            false => state.failed.remove(&sandbox),
        };
    }

    /// The period has passed: snapshots that failed are tried again, beside those of `busy` sandboxes.
    fn again(&self, busy: impl IntoIterator<Item = SandboxId>) {
        let mut state = self.state();
        let failed = std::mem::take(&mut state.failed);
        state.waiting.extend(failed);
        state.waiting.extend(busy);
        drop(state);
        self.wake.notify_one();
    }
}

/// Takes the snapshots that are due, until the executor stops.
pub async fn work(shared: &Arc<Shared>) {
    // Two at once, so that a large workspace does not hold up all others.
    tokio::join!(
        take_due(shared),
        take_due(shared),
        every_period(shared),
        uploads::work(shared)
    );
}

async fn take_due(shared: &Arc<Shared>) {
    loop {
        while let Some(sandbox) = shared.snapshots.next() {
            take(shared, sandbox).await;
        }
        shared.snapshots.wake.notified().await;
    }
}

async fn every_period(shared: &Arc<Shared>) {
    let mut ticks = tokio::time::interval(shared.snapshots.every);
    loop {
        ticks.tick().await;
        shared.snapshots.again(busy(shared));
        if let Err(error) = shared.engine.snapshots.make_room().await {
            tracing::warn!(%error, "cannot make room for snapshots");
        }
    }
}

/// Whether a command may change the workspace. The escape probe, which the gateway runs in each new sandbox, only reads: its
/// snapshot would be an empty one at the begin of the history.
pub fn may_change_files(exec: &Exec) -> bool {
    exec.argv.first().is_none_or(|program| program != PROBE)
}

/// The sandboxes in which a command runs that may change files.
fn busy(shared: &Shared) -> Vec<SandboxId> {
    let in_flight = shared.in_flight();
    let running = in_flight.live.values();
    running
        .filter_map(|live| match &live.request.operation {
            Operation::SbExec(exec) if may_change_files(exec) => Some(exec.sandbox),
            _ => None,
        })
        .collect()
}

async fn take(shared: &Arc<Shared>, sandbox: SandboxId) {
    let taken = shared.engine.snapshot(sandbox).await;
    match taken {
        Ok((snapshot, new)) => {
            shared.snapshots.ended(sandbox, false);
            if new {
                told(shared, snapshot).await;
            }
        }
        // It ended meanwhile; who ended it took its snapshot.
        Err(error) if matches!(error.kind, ErrorKind::NoSandbox | ErrorKind::Interrupted) => {
            tracing::debug!(%sandbox, %error, "no snapshot of a sandbox that ended");
        }
        Err(error) => {
            // A sandbox of an older version never gets one; its files are stored when it ends. A workspace with too many
            // files gets one after a command that changed that.
            let again = !matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Invalid);
            tracing::warn!(%sandbox, %error, again, "cannot take a snapshot");
            shared.snapshots.ended(sandbox, again);
            let detail = error.detail;
            shared
                .send(Event::Reply(ControlReply::NotStored { sandbox, detail }))
                .await;
        }
    }
}

/// Tells the gateway of a snapshot. Without a session the next inventory tells it.
pub async fn told(shared: &Shared, snapshot: Stored) {
    KillPoint::SnapshotRecorded.pass();
    shared.snapshots.uploads.due(snapshot.clone());
    shared
        .send(Event::Reply(ControlReply::Stored { snapshot }))
        .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_causes_no_snapshot_and_any_other_command_does() {
        let exec = |argv: &[&str]| Exec {
            sandbox: SandboxId(uuid::Uuid::nil()),
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            cwd: None,
            env: std::collections::BTreeMap::new(),
            stdin: false,
            tty: None,
            deadline_s: 1,
        };
        assert!(!may_change_files(&exec(&[PROBE, "--quick"])));
        for argv in [&["sh", "-c", PROBE][..], &["escape-probe"], &["ls"], &[]] {
            assert!(may_change_files(&exec(argv)), "{argv:?}");
        }
    }
}
