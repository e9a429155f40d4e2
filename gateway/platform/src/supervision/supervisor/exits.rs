//! Handles a child's end: policy, allowance, back-off.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ractor::{ActorId, SupervisionEvent};

use super::child::{Exit, OwnTask, Phase, SupervisorState};
use super::escalation::Escalation;
use super::{BackOffElapsed, SupervisorMsg};
use crate::kill_point;
use crate::supervision::context::send_to;
use crate::supervision::failure::{bounded, chain_text};
use crate::supervision::restart::{Case, Ending, Verdict, judge};
use crate::supervision::roster::{ActorState, EndCause};

impl Exit {
    /// The end of a child whose restart failed.
    pub(super) fn unborn(text: String) -> Self {
        Self {
            ending: Ending::Failed,
            text: Some(text),
            up_for: Duration::ZERO,
        }
    }
}

impl SupervisorState {
    /// Handles an event of an actor below.
    pub(super) async fn on_event(&mut self, event: SupervisionEvent) -> Result<(), Escalation> {
        let (actor, failure) = match event {
            SupervisionEvent::ActorFailed(cell, error) => {
                (cell.get_id(), Some(bounded(chain_text(error.as_ref()))))
            }
            // The state inside the event is dropped here, before any code waits for the actor to be gone.
            SupervisionEvent::ActorTerminated(cell, ..) => (cell.get_id(), None),
            _ => return Ok(()),
        };
        self.on_ended(actor, failure).await
    }

    /// Handles an actor's end; `failure` is its error, if it had one.
    pub(super) async fn on_ended(
        &mut self,
        actor: ActorId,
        failure: Option<String>,
    ) -> Result<(), Escalation> {
        let Some(name) = self.actors.remove(&actor) else {
            self.early_exits.insert(actor, failure);
            return Ok(());
        };
        let Some(child) = self.children.get(&name) else {
            return Ok(());
        };
        let Phase::Running {
            actor: present,
            clean,
        } = &child.phase
        else {
            return Ok(());
        };
        if *present != actor {
            return Ok(());
        }
        let (ending, text) = match failure {
            Some(text) => (Ending::Failed, Some(text)),
            None if clean.load(Ordering::Acquire) => (Ending::Clean, None),
            None => (Ending::Failed, Some("killed".to_owned())),
        };
        let (now, up_since) = (
            self.tree.clock().monotonic(),
            child.spec.entry.life().up_since,
        );
        let up_for = up_since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let exit = Exit {
            ending,
            text,
            up_for,
        };
        self.on_exit(&name, exit).await
    }

    /// Decides what follows a child's end, and does it.
    pub(super) async fn on_exit(&mut self, name: &str, exit: Exit) -> Result<(), Escalation> {
        kill_point!(self, "supervision.exit_noticed");
        let Some(child) = self.children.get_mut(name) else {
            return Ok(());
        };
        let entry = Arc::clone(&child.spec.entry);
        if let Some(text) = &exit.text {
            entry.note_failure(self.tree.clock().now(), text);
        }
        let cause = match exit.ending {
            Ending::Failed => EndCause::Failed,
            Ending::Clean => EndCause::Ended,
        };
        entry.note_end(self.tree.clock().now(), cause, exit.text.as_deref());
        let case = Case {
            policy: child.spec.meta().restart,
            ending: exit.ending,
            up_for: exit.up_for,
            now: self.tree.clock().monotonic(),
            jitter: self.tree.jitter(),
        };
        let shared = (!entry.is_dynamic()).then_some(&mut self.shared);
        let verdict = judge(case, &mut child.history, shared, self.plan.back_off);
        let path = entry.path();
        let failure = exit.text.as_deref().unwrap_or("it ended");
        if let Some(below) = entry.branch_if_any() {
            below.orphan(if matches!(verdict, Verdict::Restart(_)) {
                ActorState::Starting
            } else {
                ActorState::Stopped
            });
        }
        match verdict {
            Verdict::Leave => {
                self.on_final_end(name, &exit);
                Ok(())
            }
            Verdict::Restart(wait) => {
                tracing::warn!(
                    child = path,
                    failure,
                    wait_ms = wait.as_millis() as u64,
                    "a child ended and will be restarted"
                );
                self.restart_after(name, wait);
                Ok(())
            }
            Verdict::Exhausted if entry.is_dynamic() => {
                tracing::error!(
                    child = path,
                    failure,
                    "a child failed for good; an operator may restart it"
                );
                self.bury(name);
                Ok(())
            }
            Verdict::Exhausted => {
                let (child, failure) = (path.to_owned(), failure.to_owned());
                self.bury(name);
                Err(self.escalate(child, failure).await)
            }
        }
    }

    /// Handles a final end: dynamic children leave unless they failed, static ones stay as tombstones.
    fn on_final_end(&mut self, name: &str, exit: &Exit) {
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        let path = child.spec.entry.path();
        match (exit.ending, child.spec.entry.is_dynamic()) {
            (Ending::Failed, _) => {
                tracing::error!(
                    child = path,
                    failure = exit.text,
                    "a child failed; its policy does not restart it"
                );
                self.bury(name);
            }
            (Ending::Clean, true) => self.forget(name),
            (Ending::Clean, false) => {
                child.phase = Phase::Ended;
                child.spec.entry.set_state(ActorState::Stopped);
            }
        }
    }

    /// Stops everything below in order. This supervisor then ends with the returned error.
    async fn escalate(&mut self, child: String, failure: String) -> Escalation {
        let path = self.entry.path().to_owned();
        let (max, within) = (self.plan.intensity.max, self.plan.intensity.within);
        let escalation = Escalation {
            path,
            child,
            failure,
            max,
            within,
        };
        tracing::error!(supervisor = escalation.path, reason = %escalation, "a supervisor gives up");
        if self.is_root() {
            self.tree.last_words(&escalation.to_string());
        }
        self.stop_all().await;
        escalation
    }

    /// Schedules a restart after a wait.
    fn restart_after(&mut self, name: &str, wait: Duration) {
        let attempt = self.next_attempt(name);
        let due = self.tree.clock().monotonic() + wait;
        let (cell, gauge, path) = (
            self.cell.clone(),
            Arc::clone(&self.gauge),
            self.entry.path().to_owned(),
        );
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        child.spec.entry.set_state(ActorState::BackingOff);
        child.spec.entry.life().restart_due = Some(due);
        let name = name.to_owned();
        child.phase = Phase::BackingOff {
            _timer: OwnTask::spawn(async move {
                // Even a sleep of zero takes a tick of the timer.
                if !wait.is_zero() {
                    tokio::time::sleep(wait).await;
                }
                // See `begin_start`: an ended supervisor needs no reports.
                let _ = send_to(
                    &cell,
                    &gauge,
                    &path,
                    SupervisorMsg::BackOffElapsed(BackOffElapsed { name, attempt }),
                );
            }),
        };
    }

    /// Handles the end of a back-off wait.
    pub(super) async fn on_back_off_elapsed(&mut self, due: BackOffElapsed) {
        let BackOffElapsed { name, attempt } = due;
        let waiting = self.children.get(&name).is_some_and(|child| {
            child.attempt == attempt && matches!(child.phase, Phase::BackingOff { .. })
        });
        if !waiting {
            return;
        }
        kill_point!(self, "supervision.before_restart");
        self.count_restart(&name);
        self.begin_start(&name, false, None);
    }

    fn count_restart(&self, name: &str) {
        if let Some(child) = self.children.get(name) {
            child.spec.entry.life().restarts += 1;
        }
    }
}
