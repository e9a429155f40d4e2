//! What follows a failed attempt of a step of a live run.

use std::time::Duration;

use super::actor::{Msg, RunActor};
use super::fence::{Ended, FenceError};
use super::model::{Class, StepStatus, Verdict};
use super::retry::{self, Attempt};
use crate::topology::StepRef;
use roost_platform::supervision::Context;

impl RunActor {
    /// Handles a failed attempt: the step is retried after a while, waits for its machine, or is given up.
    pub(super) async fn failed(
        &mut self,
        cx: &Context<Msg>,
        at: StepRef,
        class: Class,
        detail: String,
        after: Option<Duration>,
    ) -> Result<(), FenceError> {
        let attempt = Attempt {
            at: &at,
            number: self.progress.at_work(&at).map_or(1, |work| work.attempt),
            retries: self.progress.retries,
            taken_up_ms: self.row.updated_ms,
            class,
            detail: &detail,
            after,
        };
        let verdict = retry::decide(&self.runs, self.fence, attempt).await?;
        let Verdict::Again(wait) = verdict else {
            return self.give_up(cx, at, class, detail).await;
        };
        self.last = Some(class);
        match class {
            Class::Away => self.progress.wait(&at),
            _ => self.progress.next_attempt(&at),
        }
        self.resting.insert(at.clone());
        cx.cast_self_after(wait, Msg::RetryDue(at));
        Ok(())
    }

    /// The step has failed.
    pub(super) async fn give_up(
        &mut self,
        cx: &Context<Msg>,
        at: StepRef,
        class: Class,
        detail: String,
    ) -> Result<(), FenceError> {
        self.last = Some(class);
        // A command of the step may still be running.
        self.abandon(cx, Some(&at)).await?;
        let ended = Ended {
            status: StepStatus::Failed,
            output: None,
            error: Some(retry::final_error(&self.runs, class, detail)),
            outcome: None,
        };
        self.proceed(cx, Some((at, ended))).await
    }
}
