//! Stopping children: ask, wait for the grace, kill, count. All dynamic children at once, then the static ones from
//! the last started to the first.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;

use super::child::{AfterStop, OwnTask, Phase, Ward};
use super::{ChildStopped, SupervisorMsg};
use crate::supervision::address::Reply;
use crate::supervision::context::send_to;
use crate::supervision::roster::{ActorState, EndCause, Entry, all_gone};
use crate::supervision::tree::TreeContext;

/// How long a killed actor may take to notice; it does at its next await.
const DIES_WITHIN: Duration = Duration::from_secs(1);

/// Stops the present incarnation of `entry` within its grace, else kills it.
async fn stop_entry(tree: TreeContext, entry: Arc<Entry>) {
    let Some(living) = entry.incarnation() else {
        return;
    };
    entry.set_state(ActorState::Stopping);
    living.cancel.cancel();
    if entry.meta.drains {
        // Already stopping is as good.
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
            "a killed child does not die; it blocks its thread"
        );
    }
    if let Some(below) = entry.branch_if_any() {
        below.orphan(ActorState::Stopped);
    }
}

impl Ward {
    /// Stops everything below, in order. Nothing is restarted any more.
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

    /// Stops one child and waits for it here (rest-for-one restarts).
    pub(super) async fn stop_now(&mut self, name: &str) {
        self.next_attempt(name);
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        child.phase = Phase::Waiting;
        let entry = Arc::clone(&child.spec.entry);
        stop_entry(self.tree.clone(), entry).await;
    }

    /// Stops one child in a task, which reports back with [`SupervisorMsg::ChildStopped`].
    pub(super) fn begin_stop(&mut self, name: &str, then: AfterStop) {
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
            // An aborted start is dropped soon, not at once; a state that takes longer is waited for by the next start.
            all_gone(&entry.signs_of_life(), DIES_WITHIN).await;
            // See `begin_start`: an ended supervisor needs no reports.
            let _ = send_to(
                &cell,
                &gauge,
                &path,
                SupervisorMsg::ChildStopped(ChildStopped { name, attempt }),
            );
        });
        // The former phase goes, and with it the task of a start or the timer of a restart.
        child.phase = Phase::Stopping { then, _task: task };
    }

    /// A stop came to its end.
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
            Phase::Stopping {
                then: AfterStop::Rest(waiting),
                ..
            } => {
                if child.spec.entry.is_dynamic() {
                    self.forget(&name);
                } else {
                    child.spec.entry.set_state(ActorState::Stopped);
                }
                answer(waiting);
            }
            Phase::Stopping {
                then: AfterStop::Start(reply),
                ..
            } => {
                self.count_operator_restart(&name);
                self.begin_start(&name, true, Some(reply));
            }
            other => child.phase = other,
        }
    }

    fn count_operator_restart(&mut self, name: &str) {
        if let Some(child) = self.children.get_mut(name) {
            child.history.clear();
            child.wanted = true;
            self.handle.branch().unbury(name);
            let now = self.tree.clock().now();
            child.spec.entry.note_end(now, EndCause::Operator, None);
            child.spec.entry.life().restarts += 1;
        }
    }
}

pub(super) fn answer(waiting: Vec<Reply<()>>) {
    for reply in waiting {
        reply.send(());
    }
}
