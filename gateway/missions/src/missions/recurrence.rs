//! What missions need of routines, which know missions: a routine for a mission that was created with a schedule.

use async_trait::async_trait;
use serde_json::Value;

use super::dto::NewMission;
use super::{MissionError, MissionsContext};
use roost_platform::ids::{MissionId, UserId};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;

/// Makes routines of missions.
#[async_trait]
pub trait Recurrence: Send + Sync + 'static {
    /// Tries a launch in a transaction that is taken back, so that what is missing is said before the first firing.
    ///
    /// # Errors
    /// Those of a launch, and [`MissionError::Wrong`] for what is no schedule.
    async fn check(
        &self,
        missions: &MissionsContext,
        scope: WorkspaceScope,
        (user, role): (UserId, Role),
        new: &NewMission,
        schedule: &Value,
    ) -> Result<(), MissionError>;

    /// Makes the routine in the change that creates the mission. Returns what the mission's row keeps as its schedule.
    ///
    /// # Errors
    /// [`MissionError::Wrong`].
    async fn begin(
        &self,
        missions: &MissionsContext,
        change: &mut Change,
        pattern: (MissionId, &str),
        new: &NewMission,
        schedule: &Value,
    ) -> Result<Value, MissionError>;
}
