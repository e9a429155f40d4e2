//! How a live run ends the steps of agents that people stop. `stops` has the rows.

use super::actor::{Msg, RunActor};
use super::fence::{Ended, FenceError};
use super::model::{Class, StepStatus};
use super::stops::{self, STOPPED};
use crate::topology::{Output, StepRef};
use roost_platform::supervision::Context;

impl RunActor {
    /// Ends the steps that people asked to stop. To the topology a stopped step is a step that failed.
    pub(super) async fn stop_steps(&mut self, cx: &Context<Msg>) -> Result<(), FenceError> {
        let asked = stops::of_run(self.runs.inner.db.read(), self.row.id).await?;
        for (at, has_ended) in asked {
            if self.over {
                return Ok(());
            }
            if self.progress.at_work(&at).is_none() {
                continue;
            }
            self.last = Some(Class::Terminal);
            self.let_go(&at);
            self.progress.stopped(&at);
            if has_ended {
                let output = Output::Failed(STOPPED.to_owned());
                self.progress.end(at, output, None);
                self.proceed(cx, None).await?;
                continue;
            }
            // Its command in the sandbox may still be running.
            self.abandon(cx, Some(&at)).await?;
            let ended = Ended {
                status: StepStatus::Cancelled,
                output: None,
                error: Some(STOPPED.to_owned()),
                outcome: None,
                checks: Vec::new(),
            };
            self.proceed(cx, Some((at, ended))).await?;
        }
        if self.over {
            return Ok(());
        }
        // After a start, this is what begins the work of the others.
        self.proceed(cx, None).await
    }

    fn let_go(&mut self, at: &StepRef) {
        if let Some(job) = self.jobs.remove(at) {
            job.cancel();
        }
        self.resting.remove(at);
        self.parked.remove(at);
        self.woken.remove(at);
    }
}
