//! How a live run parks its steps and itself, and how its steps work again. `parking` has the rows.

use std::time::Duration;

use super::actor::{Msg, RunActor};
use super::fence::{FenceError, Used};
use super::model::Class;
use super::parking::{self, Parked, Wait};
use super::status_events;
use super::waits::WaitOn;
use crate::topology::StepRef;
use roost_platform::db::WriteTx;
use roost_platform::events;
use roost_platform::ids::ClawId;
use roost_platform::kill_point;
use roost_platform::supervision::Context;

impl RunActor {
    /// Whether no step works or is about to.
    pub(super) fn is_idle(&self) -> bool {
        let rests = self.jobs.is_empty() && self.resting.is_empty() && self.woken.is_empty();
        // A step that caused the move of the run works again on the other gateway.
        rests && self.leaves_to.is_none()
    }

    /// How long a step waits for its machine. `None` for a mission that works on one node only: it waits as long as the
    /// node exists, and a person may cancel it.
    pub(super) fn machine_wait(&self) -> Option<Duration> {
        let origin = self.row.comes_from();
        let waits = origin.is_ok_and(|origin| origin.waits_for_its_machine());
        (!waits).then_some(self.runs.inner.machine_wait)
    }

    /// Parks a step that waits for something outside, and the run when nothing else of it works.
    pub(super) async fn park(
        &mut self,
        cx: &Context<Msg>,
        at: StepRef,
        on: WaitOn,
        text: String,
    ) -> Result<(), FenceError> {
        let is_absence = matches!(on, WaitOn::Machine { .. });
        let most = self.machine_wait().filter(|_| is_absence);
        let wait = Wait {
            most_ms: most.map(|most| i64::try_from(most.as_millis()).unwrap_or(i64::MAX)),
            on,
            text,
        };
        let tx = self.runs.inner.db.write().await?;
        let (passed, rested) = match parking::park_step(&tx, self.fence, &at, &wait).await? {
            Parked::Step { passed, rested } => (passed, rested),
            Parked::TooLong => {
                drop(tx);
                return self.give_up(cx, at, Class::Away, wait.text).await;
            }
            Parked::NotNeeded => {
                drop(tx);
                if is_absence {
                    // The machine is connected, and its sandbox will be back in a moment.
                    return self.failed(cx, at, Class::Away, wait.text, None).await;
                }
                if matches!(on, WaitOn::Pause { .. }) {
                    // The run was resumed meanwhile.
                    self.inbox.paused = false;
                }
                self.start_job(cx, &at);
                return Ok(());
            }
        };
        if on.is_absence() {
            self.progress.wait(&at);
        }
        self.parked.insert(at);
        let idle = self.is_idle();
        let parked = idle && parking::park_run(&tx, self.fence).await?;
        self.publish(cx, tx, passed.version, &rested).await?;
        self.after_park(cx, idle, parked)
    }

    /// Parks the run when all its steps that have begun are parked.
    pub(super) async fn park_run(&mut self, cx: &Context<Msg>) -> Result<(), FenceError> {
        if self.parked.is_empty() || !self.is_idle() {
            return Ok(());
        }
        let tx = self.runs.inner.db.write().await?;
        let passed = self.fence.pass(&tx, Used::default(), 0).await?;
        let parked = parking::park_run(&tx, self.fence).await?;
        self.publish(cx, tx, passed.version, &[]).await?;
        self.after_park(cx, true, parked)
    }

    async fn publish(
        &self,
        cx: &Context<Msg>,
        mut tx: WriteTx,
        version: i64,
        rested: &[ClawId],
    ) -> Result<(), FenceError> {
        let agents = status_events::change_agents(&tx, rested, &[]).await?;
        let agents = agents.into_iter().map(|event| event.of(self.fence.about));
        let events = agents.chain([self.fence.changed(version)]);
        // Do this last: other writers of the workspace wait from here until the commit.
        let now = self.runs.inner.clock.now();
        events::append(&mut tx, self.fence.workspace, now, events).await?;
        kill_point!(cx, "waits.park.before_commit");
        tx.commit().await?;
        kill_point!(cx, "waits.park.after_commit");
        Ok(())
    }

    fn after_park(
        &mut self,
        cx: &Context<Msg>,
        idle: bool,
        parked: bool,
    ) -> Result<(), FenceError> {
        if parked {
            self.over = true;
            cx.stop();
            self.runs.leaves_place(self.row.id);
        } else if idle {
            // A step was woken meanwhile. The actor is alive, so it accepts the message.
            let _ = cx.cast_self(Msg::Woken);
        }
        Ok(())
    }

    /// Reads which parked steps were woken. They work again.
    pub(super) async fn wake(&mut self, cx: &Context<Msg>) -> Result<(), FenceError> {
        let waits = parking::waits_of(self.runs.inner.db.read(), self.row.id).await?;
        for row in waits.iter().filter(|row| row.woken) {
            if let Some(at) = self.parked.take(&parking::step_of(row)) {
                self.woken.insert(at);
            }
        }
        if self.woken.is_empty() {
            return Ok(());
        }
        self.proceed(cx, None).await
    }
}
