//! The JSON of routines.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{Cause, FiringState, Missed, Overlap, Standing};
use super::recipe::Recipe;
use super::schedule::Schedule;
use roost_platform::ids::{FiringId, MissionId, RoutineId, RunId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// A new routine.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRoutine {
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    pub schedule: Schedule,
    pub recipe: Recipe,
    /// `once` when it is absent.
    #[serde(default = "once")]
    pub missed: Missed,
    /// `skip` when it is absent.
    #[serde(default = "skip")]
    pub overlap: Overlap,
    /// False: the routine is paused.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn once() -> Missed {
    Missed::Once
}

const fn skip() -> Overlap {
    Overlap::Skip
}

const fn yes() -> bool {
    true
}

impl Check for NewRoutine {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/name", &self.name, 200);
        self.recipe.check(mistakes);
    }
}

/// A change of a routine. Absent fields stay unchanged.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutineChange {
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    pub schedule: Option<Schedule>,
    pub recipe: Option<Recipe>,
    pub missed: Option<Missed>,
    pub overlap: Option<Overlap>,
    /// False pauses the routine, and true resumes it. What was due during the pause is not missed.
    pub enabled: Option<bool>,
}

impl Check for RoutineChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 200);
        }
        if let Some(recipe) = &self.recipe {
            recipe.check(mistakes);
        }
    }
}

/// A schedule whose due times are asked for.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutinePreviewRequest {
    pub schedule: Schedule,
    /// How many due times. 5 when it is absent.
    #[schema(minimum = 1, maximum = 100)]
    pub count: Option<u32>,
}

impl Check for RoutinePreviewRequest {
    fn check(&self, mistakes: &mut Mistakes) {
        if self.count.is_some_and(|count| !(1..=100).contains(&count)) {
            mistakes.add("/count", "must be from 1 to 100");
        }
    }
}

/// The next due times of a schedule.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutinePreview {
    /// The schedule in words.
    pub words: String,
    /// Oldest first. Fewer than were asked for when the schedule ends.
    pub due: Vec<DateTime<Utc>>,
}

/// A routine.
#[derive(Debug, Serialize, ToSchema)]
pub struct Routine {
    pub id: RoutineId,
    pub name: String,
    pub schedule: Schedule,
    /// The schedule in words.
    pub words: String,
    pub recipe: Recipe,
    pub missed: Missed,
    pub overlap: Overlap,
    pub enabled: bool,
    pub state: Standing,
    /// The next due times, at most five. Those that it would have when it is paused.
    pub next_due: Vec<DateTime<Utc>>,
    /// The firings that work.
    pub at_work: u64,
    /// The newest line of its journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<RoutineFiring>,
    /// The mission from which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// The person for whom it acts. Absent when the user does not exist any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub version: i64,
}

/// A line of the journal: what a due time started, or why it started nothing.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutineFiring {
    pub id: FiringId,
    pub routine_id: RoutineId,
    /// Absent where the routine itself is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routine_name: Option<String>,
    pub cause: Cause,
    pub state: FiringState,
    /// The due time. The newest of them on a line of missed ones.
    pub due_at: DateTime<Utc>,
    /// When the gateway handled it.
    pub noted_at: DateTime<Utc>,
    /// The due times that the line stands for: more than 1 only on a line of missed ones.
    pub due_times: i32,
    /// Why it started nothing or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
}

/// Filters of the journal.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct JournalQuery {
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    pub cursor: Option<String>,
    pub routine_id: Option<RoutineId>,
    #[param(inline)]
    pub state: Option<FiringState>,
}
