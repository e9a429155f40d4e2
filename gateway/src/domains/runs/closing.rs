//! The end of a run: its row, its last step, its event and what follows for its team, in one transaction.

use serde_json::Value;

use super::entity::run;
use super::fence::{Ended, Fence, FenceError, Finish};
use super::handle::RunsHandle;
use super::model::{StepStatus, effect_key};
use super::perform::Effect;
use super::{comparison, shown, store};
use crate::domains::teams;
use crate::domains::topology::StepRef;
use crate::events::{self, Event, ResourceKind};
use crate::ids::RunId;
use crate::kill_point;
use crate::supervision::Context;

/// Ends the run, with the step that ended it.
///
/// # Errors
/// [`FenceError`]: then nothing was written.
pub(super) async fn close<M: Send + 'static>(
    runs: &RunsHandle,
    cx: &Context<M>,
    fence: Fence,
    row: &run::Model,
    ended: Option<(StepRef, Ended)>,
    finish: Finish,
) -> Result<(), FenceError> {
    let now = runs.inner.clock.now();
    let mut tx = runs.inner.db.write().await?;
    let version = fence.finish(&tx, ended.as_ref(), &finish).await?;
    comparison::keep(&tx, row, finish.status).await?;
    let mut told = shown::all_resting(&tx, fence.scope(), &[fence.run], now).await?;
    let fact = Event::changed(ResourceKind::Run, fence.run, version).in_run(fence.run);
    told.push(fact);
    events::append(&mut tx, fence.workspace, now, told).await?;
    if let Some(last) = tx.last_announced() {
        fence.last_event(&tx, last).await?;
    }
    let follows = match row.team_id {
        Some(team) => {
            teams::after_run(
                &mut tx,
                &runs.inner.ids,
                now,
                fence.scope(),
                team,
                fence.run,
            )
            .await?
        }
        None => false,
    };
    kill_point!(cx, "runs.close.before_commit");
    tx.commit().await?;
    kill_point!(cx, "runs.close.after_commit");
    if follows {
        runs.inner.sagas.nudge();
    }
    runs.tell_ended(fence.run);
    tracing::info!(run = %fence.run, status = finish.status.as_str(), "a run ended");
    Ok(())
}

/// The outside calls that a run's steps, or one of them, have begun and not heard the end of: what the last model turn asked
/// for, without what came back. Their keys follow from their places.
///
/// # Errors
/// When the database fails.
pub(super) async fn open_effects(
    runs: &RunsHandle,
    run: RunId,
    only: Option<&StepRef>,
) -> Result<Vec<Effect>, sea_orm::DbErr> {
    let db = runs.inner.db.read();
    let mut open = Vec::new();
    for step in store::steps(db, run).await? {
        if StepStatus::parse(&step.status) != Some(StepStatus::Running) {
            continue;
        }
        let Some(agent) = step.agent_id else {
            continue;
        };
        let lap = u32::try_from(step.lap).unwrap_or(0);
        if only.is_some_and(|only| (&only.key, only.lap) != (&step.step_key, lap)) {
            continue;
        }
        let calls = store::calls_of(db, run, &step.step_key, lap).await?;
        let Some(turn) = calls.iter().rposition(|call| call.kind == "model") else {
            continue;
        };
        let asked = serde_json::from_str::<Value>(&calls[turn].content).unwrap_or_default();
        let asked = asked["calls"].as_array().map_or(0, Vec::len);
        for place in calls.len()..=turn + asked {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let key = effect_key(run, &step.step_key, lap, place);
            open.push(Effect { agent, key });
        }
    }
    Ok(open)
}
