//! Pauses, resumes, fails or cancels a mission.

use super::launch::{Launch, launch};
use crate::missions::entity::mission;
use crate::missions::facts::status_of;
use crate::missions::model::{PhaseStatus, Reason, Status};
use crate::missions::touch::{end, touch};
use crate::missions::{MissionError, MissionsContext, store};
use roost_platform::ids::{MissionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Moves the mission to a status. `running` launches a draft and resumes a paused mission. Returns the row, and whether the
/// mission was launched. A mission that has the status stays unchanged.
///
/// # Errors
/// [`MissionError::NotFound`], [`MissionError::Move`], [`MissionError::PhaseFailed`], and those of a launch.
pub async fn set_status(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    to: Status,
    how: Launch,
) -> Result<(mission::Model, bool), MissionError> {
    let mut change = Change::begin(state, scope, user).await?;
    let mut row = store::locked(&change, scope, id)
        .await?
        .ok_or(MissionError::NotFound)?;
    let from = Status::parse(&row.status).unwrap_or(Status::Failed);
    if from == to {
        return Ok((row, false));
    }
    if from == Status::Draft && to == Status::Running {
        drop(change);
        return launch(state, scope, user, id, how).await;
    }
    if !from.may_become(to) {
        return Err(MissionError::Move { from, to });
    }
    if to == Status::Running {
        let phases = store::phases(change.tx(), scope, &[id]).await?;
        if phases
            .iter()
            .any(|phase| status_of(phase) == PhaseStatus::Failed)
        {
            return Err(MissionError::PhaseFailed);
        }
        if row.status_reason.as_deref() == Some(Reason::NodeDeleted.as_str()) {
            return Err(MissionError::NodeDeleted);
        }
    }
    to.as_str().clone_into(&mut row.status);
    row.status_reason = (to != Status::Running).then(|| Reason::Person.as_str().to_owned());
    row.status_detail = None;
    if to.is_final() {
        row.ended_at = Some(change.now());
    }
    let details = serde_json::json!({ "title": row.title, "from": from.as_str() });
    let action = format!("mission.{}", word(to));
    change.record(&action, ("mission", &id), details);
    let row = match to.is_final() {
        true => end(&mut change, state, row).await?,
        false => touch(&mut change, row).await?,
    };
    change.wake(state.handle.scheduler());
    if let Some(nudge) = state.handle.nudge_of(id) {
        change.wake(&nudge);
    }
    change.commit().await?;
    Ok((row, false))
}

/// The word of the audit log.
fn word(to: Status) -> &'static str {
    match to {
        Status::Running => "resumed",
        other => other.as_str(),
    }
}
