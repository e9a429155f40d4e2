//! A routine for a mission that was created with a schedule.

use async_trait::async_trait;
use serde_json::Value;

use super::commands::{self, Made};
use super::model::{Missed, Overlap};
use super::recipe::{MissionRecipe, Recipe};
use super::schedule::{CronSchedule, Schedule};
use super::touch::due_at;
use super::{RoutineError, RoutinesContext, RoutinesHandle};
use crate::missions::{MissionError, MissionsContext, NewMission, Recurrence};
use roost_platform::ids::{MissionId, UserId};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// For missions: makes their routines.
pub struct OfMissions(pub RoutinesHandle);

impl OfMissions {
    fn context(&self, missions: &MissionsContext) -> RoutinesContext {
        RoutinesContext {
            db: missions.db.clone(),
            clock: missions.clock.clone(),
            ids: missions.ids.clone(),
            missions: missions.clone(),
            handle: self.0.clone(),
        }
    }
}

#[async_trait]
impl Recurrence for OfMissions {
    async fn check(
        &self,
        missions: &MissionsContext,
        scope: WorkspaceScope,
        (user, role): (UserId, Role),
        new: &NewMission,
        schedule: &Value,
    ) -> Result<(), MissionError> {
        let schedule = read(schedule)?;
        due_at(&schedule, missions.clock.now()).map_err(of_mission)?;
        let (state, recipe) = (self.context(missions), recipe(new));
        let tried = commands::tried(&state, scope, (user, role), "Routine", &recipe);
        tried.await.map_err(of_mission)
    }

    async fn begin(
        &self,
        missions: &MissionsContext,
        change: &mut Change,
        (mission, title): (MissionId, &str),
        new: &NewMission,
        schedule: &Value,
    ) -> Result<Value, MissionError> {
        let schedule = read(schedule)?;
        let made = Made {
            id: roost_platform::ids::fresh(&missions.ids),
            name: title.to_owned(),
            schedule: schedule.clone(),
            recipe: recipe(new),
            missed: Missed::Once,
            overlap: Overlap::Skip,
            enabled: true,
            mission_id: Some(mission),
        };
        let state = self.context(missions);
        let row = commands::create_in(&state, change, made);
        let row = row.await.map_err(of_mission)?;
        let mut kept = serde_json::to_value(&schedule).unwrap_or_default();
        if let Value::Object(kept) = &mut kept {
            kept.insert("routine_id".to_owned(), row.id.to_string().into());
        }
        Ok(kept)
    }
}

/// The schedule of a mission: an expression in UTC, or an object.
fn read(schedule: &Value) -> Result<Schedule, MissionError> {
    let read = match schedule {
        Value::String(expression) => Ok(Schedule::Cron(CronSchedule {
            expression: expression.clone(),
            time_zone: "UTC".to_owned(),
        })),
        other => serde_json::from_value(other.clone()),
    };
    read.map_err(|error| {
        MissionError::Wrong(vec![FieldError {
            pointer: "/schedule".to_owned(),
            detail: format!(
                "must be a cron expression in UTC, or the schedule of a routine: {error}"
            ),
        }])
    })
}

fn recipe(new: &NewMission) -> Recipe {
    Recipe::Mission(Box::new(MissionRecipe {
        mission: NewMission {
            schedule: None,
            ..new.clone()
        },
        accept_lacks: false,
    }))
}

fn of_mission(error: RoutineError) -> MissionError {
    match error {
        RoutineError::Mission(error) => error,
        RoutineError::Wrong(mistakes) => MissionError::Wrong(mistakes),
        RoutineError::Db(error) => MissionError::Db(error),
        error => MissionError::Routine(Box::new(error.into())),
    }
}
