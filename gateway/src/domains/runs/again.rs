//! What becomes of an attempt that failed: decided by the model, and written down when there will be another.

use std::time::Duration;

use super::fence::{Fence, FenceError, Used};
use super::handle::RunsHandle;
use super::model::{self, Class, Verdict};
use crate::domains::topology::StepRef;

/// An attempt that failed.
pub(super) struct Attempt<'a> {
    pub at: &'a StepRef,
    /// Counts from 1.
    pub number: u32,
    /// Of the whole run so far.
    pub retries: u32,
    /// When the run was taken up here, by the database's clock.
    pub taken_up_ms: i64,
    pub class: Class,
    pub detail: &'a str,
    /// How long the other side wants to be left alone.
    pub after: Option<Duration>,
}

/// Decides on it, and writes down that there will be another; of what is given up the step's end says everything.
///
/// # Errors
/// [`FenceError`].
pub(super) async fn judge(
    runs: &RunsHandle,
    fence: Fence,
    attempt: Attempt<'_>,
) -> Result<Verdict, FenceError> {
    let (key, lap) = (
        attempt.at.key.as_str(),
        i32::try_from(attempt.at.lap).unwrap_or(i32::MAX),
    );
    let chance = rand::random();
    let mut tx = runs.inner.db.write().await?;
    let passed = fence.pass(&tx, Used::default(), 0).await?;
    let verdict = match attempt.class {
        Class::Away => {
            let wait = fence.wait(
                &mut tx,
                passed,
                key,
                lap,
                attempt.detail,
                attempt.taken_up_ms,
            );
            model::after_absence(wait.await?, runs.inner.machine_wait, attempt.after, chance)
        }
        class => {
            let again = fence.try_again(&mut tx, passed, key, lap, attempt.detail);
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
    Ok(verdict)
}

/// What is said of a step that is given up.
pub(super) fn given_up(runs: &RunsHandle, class: Class, detail: String) -> String {
    match class {
        Class::Away => format!(
            "{detail} It was waited for as long as `runs.machine_wait_seconds` says, {} s.",
            runs.inner.machine_wait.as_secs()
        ),
        _ => detail,
    }
}
