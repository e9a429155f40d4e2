//! Forking: a new run of the same pinned topology and input that keeps what was handed over before a step, and does that
//! step and all after it anew. The run that it comes from stays as it is.

use super::enqueue::{Fork, New, start_in};
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::entity::{run, step};
use crate::domains::runs::model::{Kind, Status, StepStatus, Tier};
use crate::domains::runs::{RunError, RunsHandle, forget, store};
use crate::domains::teams;
use crate::ids::{RunId, UserId};

/// Enqueues the fork from the step `key` of lap `lap`.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::StillGoing`], [`RunError::NoStep`], [`RunError::Forgotten`],
/// [`RunError::TeamGoing`].
pub async fn fork(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
    from: RunId,
    (key, lap): (&str, u32),
) -> Result<run::Model, RunError> {
    let db = runs.inner.db.read();
    if let Some(present) = store::get(db, scope, id).await? {
        return Ok(present);
    }
    let origin = store::get(db, scope, from)
        .await?
        .ok_or(RunError::NotFound)?;
    if !Status::parse(&origin.status).is_some_and(Status::is_final) {
        return Err(RunError::StillGoing);
    }
    let steps = store::steps(db, from).await?;
    let same = |row: &&step::Model| row.step_key == key && u32::try_from(row.lap) == Ok(lap);
    let cut = steps.iter().find(same).ok_or(RunError::NoStep)?.position;
    let compares = Kind::parse(&origin.kind) == Some(Kind::Compare);
    let kept: Vec<_> = steps
        .into_iter()
        .filter(|row| {
            row.position < cut && StepStatus::parse(&row.status) == Some(StepStatus::Done)
        })
        .map(|row| step::Model {
            run_id: id,
            // What it cost was paid by the run that it comes from.
            tokens_in: 0,
            tokens_out: 0,
            cost_microusd: 0,
            // What stood beside the others in a comparison is told of by its own run.
            child_run_id: row.child_run_id.filter(|_| compares),
            ..row
        })
        .collect();
    if forget::is_forgotten(&kept) {
        return Err(RunError::Forgotten);
    }
    let new = New {
        id,
        kind: Kind::parse(&origin.kind).unwrap_or(Kind::Team),
        tier: Tier::parse(&origin.tier).unwrap_or(Tier::Team),
        title: origin.title.clone(),
        graph: serde_json::from_str(&origin.graph).map_err(|_| RunError::NoStep)?,
        input: origin.input.clone(),
        team: origin.team_id,
        parent: None,
        forked: Some(Fork {
            run: from,
            step: format!("{key}#{lap}"),
            kept: i32::try_from(kept.len()).unwrap_or(i32::MAX),
        }),
        ceiling: origin.cost_ceiling_microusd,
    };
    let mut tx = runs.inner.db.write().await?;
    if let Some(team) = origin.team_id {
        let team = teams::store::held(&tx, scope, team).await?;
        if team.is_some_and(|team| teams::is_going(&team)) {
            return Err(RunError::TeamGoing);
        }
    }
    let row = start_in(runs, &mut tx, scope, user, new).await?;
    store::insert_steps(&tx, kept).await?;
    tx.commit().await?;
    runs.nudge();
    Ok(row)
}
