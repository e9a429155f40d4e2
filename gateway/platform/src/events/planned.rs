//! `routine.update`, and `agent.message`, which nothing emits yet: rooms will. It stands here, with its schema, so that clients
//! know it. Both are facts.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ids::ClawId;

/// `agent.message`: an agent writes to another one. Rooms will emit it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentMessage {
    pub from_agent_id: ClawId,
    pub to_agent_id: ClawId,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<DateTime<Utc>>,
}

/// What makes a routine begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoutineKind {
    Cron,
    Loop,
}

/// The state of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoutineState {
    Running,
    Scheduled,
    Done,
    Failed,
    /// It waits for the decision about a door.
    Door,
}

/// `routine.update`: a routine's progress or schedule.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutineUpdate {
    pub routine_id: Uuid,
    pub name: String,
    pub kind: RoutineKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// A cron expression, or a hint when it runs next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<RoutineState>,
}
