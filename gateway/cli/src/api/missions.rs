//! What the client reads of missions. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::names::*;
use super::strings::Moment;

#[derive(Deserialize)]
pub struct LaunchPlan {
    pub teams: Vec<PlannedTeam>,
    pub agents: u32,
    pub place: String,
    pub blockers: Vec<String>,
    pub lacks: Vec<String>,
    pub probes: Option<PlannedProbes>,
}

#[derive(Deserialize)]
pub struct Mission {
    pub id: MissionId,
    pub title: String,
    pub status: MissionStatus,
    pub phases: Vec<MissionPhaseBrief>,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct MissionArtifact {
    pub id: MissionArtifactId,
    pub kind: MissionArtifactKind,
    pub title: String,
    pub status: MissionArtifactStatus,
    pub error: Option<String>,
    pub pdf: Option<MissionPdf>,
}

#[derive(Deserialize)]
pub struct MissionDetail {
    pub id: MissionId,
    pub title: String,
    pub status: MissionStatus,
    pub status_detail: Option<String>,
    pub phase_details: Vec<MissionPhase>,
    pub tasks: Vec<MissionTask>,
    pub artifacts: Vec<MissionArtifact>,
    pub repo_full_name: Option<String>,
    pub waits_for_node: Option<String>,
    pub runtime: Option<MissionRuntimeStanding>,
    pub cost_microusd: i64,
}

#[derive(Deserialize)]
pub struct MissionPdf {
    pub pages: Option<i32>,
}

#[derive(Deserialize)]
pub struct MissionPhase {
    pub id: MissionPhaseId,
    pub position: i32,
    pub kind: MissionPhaseKind,
    pub status: MissionPhaseStatus,
    pub attempt: i32,
    pub reason: Option<String>,
    pub runs: Vec<MissionRun>,
}

#[derive(Deserialize)]
pub struct MissionPhaseBrief {
    pub status: MissionPhaseStatus,
}

#[derive(Deserialize)]
pub struct MissionRun {
    pub run_id: RunId,
    pub attempt: i32,
    pub team_name: Option<String>,
    pub status: Option<RunStatus>,
    pub outcome: Option<RunOutcome>,
    pub steps_done: i32,
    pub steps_most: i32,
}

#[derive(Deserialize)]
pub struct MissionRuntimeStanding {
    pub state: Option<MissionRuntimeState>,
    pub detail: Option<String>,
}

#[derive(Deserialize)]
pub struct MissionTask {
    pub phase_id: MissionPhaseId,
    pub external_id: String,
    pub title: String,
    pub status: TaskStatus,
}

#[derive(Deserialize)]
pub struct PlannedProbes {
    pub image: String,
    pub scanners: Vec<String>,
    pub lacks: Vec<String>,
}

#[derive(Deserialize)]
pub struct PlannedTeam {
    pub purpose: MissionPhaseKind,
    pub name: String,
    pub roles: Vec<String>,
}

#[derive(Deserialize)]
pub struct Routine {
    pub id: RoutineId,
    pub name: String,
    pub words: String,
    pub state: RoutineStanding,
    pub next_due: Vec<Moment>,
    pub missed: RoutineMissed,
    pub overlap: RoutineOverlap,
    pub last: Option<RoutineFiring>,
}

#[derive(Deserialize)]
pub struct RoutineFiring {
    pub routine_name: Option<String>,
    pub cause: FiringCause,
    pub state: FiringState,
    pub due_at: Moment,
    pub due_times: i32,
    pub reason: Option<String>,
    pub run_id: Option<RunId>,
    pub mission_id: Option<MissionId>,
}
