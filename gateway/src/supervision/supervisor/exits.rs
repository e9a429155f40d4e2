//! What follows when a child ends: policy, allowance, back-off, and for rest-for-one the younger siblings too.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ractor::{ActorId, SupervisionEvent};

use super::child::{Child, Exit, OwnTask, Phase, Ward};
use super::escalation::Escalation;
use super::starting::start_child;
use super::{BackOffElapsed, SupervisorMsg};
use crate::kill_point;
use crate::supervision::context::send_to;
use crate::supervision::failure::{bounded, chain_text};
use crate::supervision::restart::{Case, Ending, Strategy, Verdict, concerned, judge};
use crate::supervision::roster::{ActorState, EndCause};
use crate::supervision::spec::AnyChild;

impl Exit {
    /// It could not be started again.
    pub(super) fn unborn(text: String) -> Self {
        Self {
            ending: Ending::Failed,
            text: Some(text),
            up_for: Duration::ZERO,
        }
    }
}

impl Ward {
    /// Something happened to an actor below us.
    pub(super) async fn on_event(&mut self, event: SupervisionEvent) -> Result<(), Escalation> {
        let (actor, failure) = match event {
            SupervisionEvent::ActorFailed(cell, error) => {
                (cell.get_id(), Some(bounded(chain_text(error.as_ref()))))
            }
            // The state inside the event is dropped here, before anybody waits for the actor to be gone.
            SupervisionEvent::ActorTerminated(cell, ..) => (cell.get_id(), None),
            _ => return Ok(()),
        };
        self.on_ended(actor, failure).await
    }

    /// An actor ended; `failure` is the error it ended with, if it said one.
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

    /// A child is down: decides and acts.
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
                self.restart_after(name, wait).await;
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

    /// The end that stays: dynamic children leave unless they failed, static ones stay as tombstones.
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
                    "a child failed; it is not one to be restarted"
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

    /// Everything below is stopped in order, then this supervisor ends with an error.
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

    /// Waits before a restart. Rest-for-one stops the younger siblings now; they come back with the one that failed.
    async fn restart_after(&mut self, name: &str, wait: Duration) {
        for younger in self.younger(name) {
            self.stop_now(&younger).await;
            if let Some(child) = self.children.get_mut(&younger) {
                child.phase = Phase::Waiting;
                child.spec.entry.set_state(ActorState::BackingOff);
                let now = self.tree.clock().now();
                child
                    .spec
                    .entry
                    .note_end(now, EndCause::Sibling, Some(name));
            }
        }
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
                // Even a sleep of nothing takes a tick of the timer.
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

    /// The wait is over.
    pub(super) async fn on_back_off_elapsed(
        &mut self,
        due: BackOffElapsed,
    ) -> Result<(), Escalation> {
        let BackOffElapsed { name, attempt } = due;
        let waiting = self.children.get(&name).is_some_and(|child| {
            child.attempt == attempt && matches!(child.phase, Phase::BackingOff { .. })
        });
        if !waiting {
            return Ok(());
        }
        kill_point!(self, "supervision.before_restart");
        if self.plan.strategy == Strategy::OneForOne {
            self.count_restart(&name);
            self.begin_start(&name, false, None);
            return Ok(());
        }
        let mut chain = vec![name.clone()];
        chain.extend(self.younger(&name).into_iter().rev());
        for next in chain {
            self.count_restart(&next);
            let Some(child) = self.children.get(&next) else {
                continue;
            };
            let spec = child.spec.clone();
            spec.entry.set_state(ActorState::Starting);
            match start_child(&self.tree, &spec, &self.handle, Some(&self.cell)).await {
                Ok(started) => self.note_running(&next, started),
                // Those after it stay down; they come back with it.
                Err(error) => {
                    return Box::pin(self.on_exit(&next, Exit::unborn(chain_text(&error)))).await;
                }
            }
        }
        Ok(())
    }

    fn count_restart(&self, name: &str) {
        if let Some(child) = self.children.get(name) {
            child.spec.entry.life().restarts += 1;
        }
    }

    /// The static siblings that a restart of `name` concerns besides itself, youngest first; none for one-for-one.
    fn younger(&self, name: &str) -> Vec<String> {
        let names: Vec<&str> = self.plan.children.iter().map(AnyChild::name).collect();
        let Some(position) = names.iter().position(|other| *other == name) else {
            return Vec::new();
        };
        let concerned = concerned(self.plan.strategy, position, names.len());
        let others = names[concerned]
            .iter()
            .rev()
            .filter(|other| **other != name);
        others
            .filter(|other| self.children.get(**other).is_some_and(Child::comes_back))
            .map(|other| (*other).to_owned())
            .collect()
    }
}
