//! Stops children: ask, wait for the grace, kill, count. First all dynamic children together, then the static ones from
//! the last started to the first.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;

use super::child::{OwnTask, Phase, StartReply, SupervisorState};
use super::{ChildStopped, SupervisorMsg};
use crate::supervision::context::send_to;
use crate::supervision::roster::{ActorState, EndCause, Entry, all_gone};
use crate::supervision::tree::TreeContext;

/// How long a killed actor may take to end. It ends at its next await.
const DIES_WITHIN: Duration = Duration::from_secs(1);

/// Stops the current incarnation of `entry` within its grace, otherwise kills it.
async fn stop_entry(tree: TreeContext, entry: Arc<Entry>) {
    let Some(living) = entry.incarnation() else {
        return;
    };
    entry.set_state(ActorState::Stopping);
    living.cancel.cancel();
    if entry.meta.drains {
        // An error means that it already stops, which is enough.
        let _ = living.cell.drain();
    } else {
        living.cell.stop(None);
    }
    if living.cell.wait(entry.meta.grace).await.is_ok() {
        return;
    }
    tracing::warn!(child = entry.path(), grace = ?entry.meta.grace, "a child did not stop within its grace; killing it");
    living.cell.kill();
    let died = living.cell.wait(Some(DIES_WITHIN)).await.is_ok();
    tree.count_forced_kill(entry.path(), died);
    if !died {
        tracing::error!(
            child = entry.path(),
            "a killed child does not end; it blocks its thread"
        );
    }
    if let Some(below) = entry.branch_if_any() {
        below.orphan(ActorState::Stopped);
    }
}

impl SupervisorState {
    /// Stops everything below, in order. No child is restarted any more.
    pub(super) async fn stop_all(&mut self) {
        for child in self.children.values_mut() {
            // Drops tasks of starts and timers of restarts.
            if !matches!(child.phase, Phase::Running { .. }) {
                child.phase = Phase::Ended;
            }
        }
        let entries = self.branch().entries();
        let dynamic = entries.iter().filter(|entry| entry.is_dynamic());
        join_all(dynamic.map(|entry| stop_entry(self.tree.clone(), Arc::clone(entry)))).await;
        for entry in entries.iter().filter(|entry| entry.is_dynamic()) {
            if entry.life().state != ActorState::Failed {
                self.forget(&entry.meta.name);
            }
        }
        for entry in entries.iter().rev().filter(|entry| !entry.is_dynamic()) {
            stop_entry(self.tree.clone(), Arc::clone(entry)).await;
            if entry.life().state != ActorState::Failed {
                entry.set_state(ActorState::Stopped);
            }
        }
        self.actors.clear();
    }

    /// Stops one child in a task, which reports back with [`SupervisorMsg::ChildStopped`]. The child is started
    /// afterwards, and `reply` gets the outcome.
    pub(super) fn begin_stop(&mut self, name: &str, reply: StartReply) {
        let attempt = self.next_attempt(name);
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        let (tree, entry, name) = (
            self.tree.clone(),
            Arc::clone(&child.spec.entry),
            name.to_owned(),
        );
        let (cell, gauge, path) = (
            self.cell.clone(),
            Arc::clone(&self.gauge),
            self.entry.path().to_owned(),
        );
        entry.set_state(ActorState::Stopping);
        let task = OwnTask::spawn(async move {
            stop_entry(tree, Arc::clone(&entry)).await;
            // An aborted start is dropped soon, not at once. If its state takes longer, the next start waits for it.
            all_gone(&entry.signs_of_life(), DIES_WITHIN).await;
            // See `begin_start`: an ended supervisor needs no reports.
            let _ = send_to(
                &cell,
                &gauge,
                &path,
                SupervisorMsg::ChildStopped(ChildStopped { name, attempt }),
            );
        });
        // This drops the former phase, and with it the task of a start or the timer of a restart.
        child.phase = Phase::Stopping { reply, _task: task };
    }

    /// Handles the end of a stop.
    pub(super) fn on_stopped(&mut self, report: ChildStopped) {
        let ChildStopped { name, attempt } = report;
        let Some(child) = self
            .children
            .get_mut(&name)
            .filter(|child| child.attempt == attempt)
        else {
            return;
        };
        match std::mem::replace(&mut child.phase, Phase::Ended) {
            Phase::Stopping { reply, .. } => {
                self.count_operator_restart(&name);
                self.begin_start(&name, true, Some(reply));
            }
            other => child.phase = other,
        }
    }

    fn count_operator_restart(&mut self, name: &str) {
        if let Some(child) = self.children.get_mut(name) {
            child.history.clear();
            self.handle.branch().unbury(name);
            let now = self.tree.clock().now();
            child.spec.entry.note_end(now, EndCause::Operator, None);
            child.spec.entry.life().restarts += 1;
        }
    }
}
