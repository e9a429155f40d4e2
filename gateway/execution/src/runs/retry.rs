//! Decides what follows a failed attempt, and records the next one.

use std::time::Duration;

use super::fence::{Fence, FenceError, Used};
use super::handle::RunsHandle;
use super::inbox::Inbox;
use super::model::{self, Class, Verdict};
use crate::topology::StepRef;

/// An attempt that failed.
pub(super) struct Attempt<'a> {
    pub at: &'a StepRef,
    /// Counts from 1.
    pub number: u32,
    /// The retries of the whole run so far.
    pub retries: u32,
    /// When this gateway claimed the run, by the database's clock.
    pub taken_up_ms: i64,
    pub class: Class,
    pub detail: &'a str,
    /// How long the other side asks the gateway to wait.
    pub after: Option<Duration>,
    /// How long an absent machine is waited for; `None` without a limit.
    pub machine_wait: Option<Duration>,
}

/// Decides on a failed attempt, and records a retry. When the step is given up, nothing is written here: the step's
/// end records it. Also returns what people want of the run, so that a run pauses before its next attempt.
///
/// # Errors
/// [`FenceError`].
pub(super) async fn decide(
    runs: &RunsHandle,
    fence: Fence,
    attempt: Attempt<'_>,
) -> Result<(Verdict, Inbox), FenceError> {
    let chance = rand::random();
    let mut tx = runs.inner.db.write().await?;
    let passed = fence.pass(&tx, Used::default(), 0).await?;
    let verdict = match attempt.class {
        Class::Away => {
            let wait = fence.wait(
                &mut tx,
                passed,
                attempt.at,
                attempt.detail,
                attempt.taken_up_ms,
            );
            model::after_absence(wait.await?, attempt.machine_wait, attempt.after, chance)
        }
        class => {
            let again = fence.try_again(&mut tx, passed, attempt.at, attempt.detail);
            again.await?;
            model::after_failure(
                class,
                attempt.number,
                attempt.retries,
                attempt.after,
                chance,
            )
        }
    };
    if verdict != Verdict::GivenUp {
        tx.commit().await?;
    }
    Ok((verdict, passed.inbox))
}

/// The error text of a step that is given up.
pub(super) fn final_error(runs: &RunsHandle, class: Class, detail: String) -> String {
    match class {
        Class::Away => format!(
            "{detail} It was waited for as long as `runs.machine_wait_seconds` says, {} s.",
            runs.inner.machine_wait.as_secs()
        ),
        _ => detail,
    }
}
