//! Retries or skips a phase.

use crate::missions::entity::{mission, phase};
use crate::missions::facts::status_of;
use crate::missions::model::{PhaseStatus, Reason, Status};
use crate::missions::touch::touch;
use crate::missions::{MissionError, MissionsContext, store};
use crate::tasks;
use roost_platform::ids::{MissionId, MissionPhaseId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Retries a phase that failed. Its failed tasks are created again, and it begins with the files of its first begin.
///
/// # Errors
/// [`MissionError::NotFound`], [`MissionError::NoPhase`], [`MissionError::PhaseIs`], [`MissionError::Move`].
pub async fn retry(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    at: (MissionId, MissionPhaseId),
) -> Result<mission::Model, MissionError> {
    let (change, mission, phase) = held(state, scope, user, at).await?;
    if status_of(&phase) != PhaseStatus::Failed {
        return Err(MissionError::PhaseIs(phase.status));
    }
    tasks::reopen_failed(&change, scope, phase.id, change.now()).await?;
    let phase = phase::Model {
        status: PhaseStatus::Pending.as_str().to_owned(),
        ended_at: None,
        ..phase
    };
    go_on(state, change, mission, phase, "mission.phase_retried").await
}

/// Skips a phase that failed or has not begun.
///
/// # Errors
/// As [`retry`].
pub async fn skip(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    at: (MissionId, MissionPhaseId),
) -> Result<mission::Model, MissionError> {
    let (change, mission, phase) = held(state, scope, user, at).await?;
    if !matches!(
        status_of(&phase),
        PhaseStatus::Failed | PhaseStatus::Pending
    ) {
        return Err(MissionError::PhaseIs(phase.status));
    }
    let phase = phase::Model {
        status: PhaseStatus::Skipped.as_str().to_owned(),
        ended_at: Some(change.now()),
        ..phase
    };
    go_on(state, change, mission, phase, "mission.phase_skipped").await
}

/// Begins a change of a phase whose mission has not ended.
async fn held(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    (id, phase): (MissionId, MissionPhaseId),
) -> Result<(Change, mission::Model, phase::Model), MissionError> {
    let change = Change::begin(state, scope, user).await?;
    let mission = store::locked(&change, scope, id)
        .await?
        .ok_or(MissionError::NotFound)?;
    let phase = store::phase(change.tx(), scope, id, phase)
        .await?
        .ok_or(MissionError::NoPhase)?;
    let from = Status::parse(&mission.status).unwrap_or(Status::Failed);
    if from.is_final() {
        let to = Status::Running;
        return Err(MissionError::Move { from, to });
    }
    Ok((change, mission, phase))
}

/// Writes the phase. A mission that paused because the phase failed runs again.
async fn go_on(
    state: &MissionsContext,
    mut change: Change,
    mut mission: mission::Model,
    phase: phase::Model,
    action: &str,
) -> Result<mission::Model, MissionError> {
    store::replace_phase(&change, &phase).await?;
    let waits_for_it = mission.status == Status::Paused.as_str()
        && mission.status_reason.as_deref() == Some(Reason::PhaseFailed.as_str());
    let phases = store::phases(change.tx(), change.scope(), &[mission.id]).await?;
    let another = phases
        .iter()
        .any(|phase| status_of(phase) == PhaseStatus::Failed);
    if waits_for_it && !another {
        Status::Running.as_str().clone_into(&mut mission.status);
        (mission.status_reason, mission.status_detail) = (None, None);
    }
    let details = serde_json::json!({
        "phase": phase.id, "kind": phase.kind, "attempt": phase.attempt,
    });
    change.record(action, ("mission", &mission.id), details);
    let mission = touch(&mut change, mission).await?;
    change.wake(state.handle.scheduler());
    if let Some(nudge) = state.handle.nudge_of(mission.id) {
        change.wake(&nudge);
    }
    change.commit().await?;
    Ok(mission)
}
