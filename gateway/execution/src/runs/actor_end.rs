//! How a live run ends: with its topology, at its limit of time, or cancelled.

use super::actor::{Msg, RunActor};
use super::fence::{Ended, FenceError, Finish};
use super::model::{Class, Status};
use super::{children, completion, limits};
use crate::topology::StepRef;
use roost_platform::supervision::{Context, Failure};

/// How a run ends.
pub(super) struct Closing {
    status: Status,
    /// JSON.
    result: Option<String>,
    error: Option<String>,
    code: Option<&'static str>,
}

impl Closing {
    pub(super) fn done(result: String) -> Self {
        Self {
            status: Status::Completed,
            result: Some(result),
            error: None,
            code: None,
        }
    }

    /// A step failed, and the run with it.
    pub(super) fn of_step(last: Option<Class>, error: String) -> Self {
        Self::failed(failure_code(last), error)
    }

    fn failed(code: &'static str, error: String) -> Self {
        Self {
            status: Status::Failed,
            result: None,
            error: Some(error),
            code: Some(code),
        }
    }
}

/// The error code of a run that a failed step ended.
fn failure_code(last: Option<Class>) -> &'static str {
    match last {
        Some(Class::Quota) => "cost-ceiling-reached",
        Some(Class::Turns) => "turn-limit-reached",
        Some(Class::NeedsAuth) => "needs-auth",
        Some(Class::Away) => "machine-away",
        Some(Class::Retryable | Class::Terminal) | None => "step-failed",
    }
}

impl RunActor {
    /// Ends the run as failed, whatever its steps do.
    pub(super) async fn time_is_up(&mut self, cx: &Context<Msg>) -> Result<(), FenceError> {
        let detail = limits::time_is_up(self.row.time_limit_s);
        let closing = Closing::failed("time-limit-reached", detail);
        self.finish(cx, None, closing).await
    }

    pub(super) async fn finish(
        &mut self,
        cx: &Context<Msg>,
        ended: Option<(StepRef, Ended)>,
        closing: Closing,
    ) -> Result<(), FenceError> {
        // Other steps may be at work, or wait, when one step ends the run.
        if !self.is_idle() || !self.parked.is_empty() {
            self.drop_jobs();
            self.abandon(cx, None).await?;
        }
        let finish = Finish {
            decided: self.progress.decided(self.row.id, closing.status),
            status: closing.status,
            result: closing.result,
            error: closing.error,
            code: closing.code.map(str::to_owned),
        };
        completion::complete(&self.runs, cx, self.fence, &self.row, ended, finish).await?;
        self.over = true;
        cx.stop();
        if let Err(error) = children::cancel_open(&self.runs, Some(self.row.id)).await {
            tracing::warn!(%error, run = %self.row.id, "the gateway cannot cancel the open children of an ended run; the sweeper tries again");
        }
        Ok(())
    }

    pub(super) async fn cancel(&mut self, cx: &Context<Msg>) -> Result<(), Failure> {
        self.drop_jobs();
        self.abandon(cx, None).await?;
        let finish = Finish {
            status: Status::Cancelled,
            result: None,
            error: None,
            code: None,
            decided: self.progress.decided(self.row.id, Status::Cancelled),
        };
        match completion::complete(&self.runs, cx, self.fence, &self.row, None, finish).await {
            Ok(()) => {
                self.over = true;
                cx.stop();
                Ok(())
            }
            Err(FenceError::Lost | FenceError::Cancelled) => {
                cx.stop();
                Ok(())
            }
            Err(FenceError::Db(error)) => Err(error.into()),
        }
    }
}
