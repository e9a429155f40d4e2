//! What follows a failed attempt of a step of a live run, and the stop of its outside calls.

use std::time::Duration;

use sea_orm::DbErr;

use super::actor::{Msg, RunActor};
use super::completion;
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
            machine_wait: self.machine_wait(),
        };
        let (verdict, inbox) = retry::decide(&self.runs, self.fence, attempt).await?;
        self.inbox = inbox;
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
            checks: Vec::new(),
        };
        self.proceed(cx, Some((at, ended))).await
    }

    /// Stops the outside calls of one step of this run, or of all its steps. The actor does not wait for it: an
    /// absent machine must not delay the end.
    pub(super) async fn abandon(
        &self,
        cx: &Context<Msg>,
        step: Option<&StepRef>,
    ) -> Result<(), DbErr> {
        let effects = completion::open_effects(&self.runs, self.row.id, step).await?;
        if effects.is_empty() {
            return Ok(());
        }
        let (step_executor, row) = (self.runs.inner.step_executor.clone(), self.row.clone());
        let of = step.map(|at| format!("-{at}"));
        let name = format!("abandon-{}{}", self.row.id, of.unwrap_or_default());
        let abandon = move |_| async move {
            step_executor.abandon(&row, effects).await;
            Ok(())
        };
        let tenant = cx.tenant().cloned();
        if let Err(error) = cx.parent().spawn_job(name, tenant, abandon).await {
            tracing::warn!(%error, run = %self.row.id, "the gateway cannot stop the commands of an ended run; they continue until their deadline");
        }
        Ok(())
    }
}
