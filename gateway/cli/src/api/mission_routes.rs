//! The routes of missions that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

use http::Method;

use super::call::{Call, Nothing, Page, segment};
use super::types::*;

/// `GET /api/routines`
#[must_use]
pub fn routines(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Routine>> {
    let mut call = Call::new(Method::GET, "/api/routines".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/routines`
#[must_use]
pub fn create_routine(body: &NewRoutine) -> Call<Routine> {
    let mut call = Call::new(Method::POST, "/api/routines".to_owned());
    call.body(body);
    call
}

/// `GET /api/routines/runs`
#[must_use]
pub fn routine_runs(limit: Option<u64>, cursor: Option<&str>, routine_id: Option<&RoutineId>) -> Call<Page<RoutineFiring>> {
    let mut call = Call::new(Method::GET, "/api/routines/runs".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call.query("routine_id", routine_id);
    call
}

/// `GET /api/routines/{id}`
#[must_use]
pub fn routine(id: &RoutineId) -> Call<Routine> {
    Call::new(Method::GET, format!("/api/routines/{}", segment(id)))
}

/// `PATCH /api/routines/{id}`
#[must_use]
pub fn change_routine(id: &RoutineId, body: &RoutineChange) -> Call<Routine> {
    let mut call = Call::new(Method::PATCH, format!("/api/routines/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/routines/{id}`
#[must_use]
pub fn delete_routine(id: &RoutineId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/routines/{}", segment(id)))
}

/// `POST /api/routines/{id}/run`
#[must_use]
pub fn fire_routine(id: &RoutineId) -> Call<RoutineFiring> {
    Call::new(Method::POST, format!("/api/routines/{}/run", segment(id)))
}

/// `GET /api/missions`
#[must_use]
pub fn missions(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Mission>> {
    let mut call = Call::new(Method::GET, "/api/missions".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/missions`
#[must_use]
pub fn create_mission(body: &NewMission) -> Call<MissionDetail> {
    let mut call = Call::new(Method::POST, "/api/missions".to_owned());
    call.body(body);
    call
}

/// `GET /api/missions/{id}`
#[must_use]
pub fn mission(id: &MissionId) -> Call<MissionDetail> {
    Call::new(Method::GET, format!("/api/missions/{}", segment(id)))
}

/// `GET /api/missions/{id}/launch-plan`
#[must_use]
pub fn launch_plan(id: &MissionId) -> Call<LaunchPlan> {
    Call::new(Method::GET, format!("/api/missions/{}/launch-plan", segment(id)))
}

/// `POST /api/missions/{id}/status`
#[must_use]
pub fn set_mission_status(id: &MissionId, body: &MissionStatusChange) -> Call<MissionDetail> {
    let mut call = Call::new(Method::POST, format!("/api/missions/{}/status", segment(id)));
    call.body(body);
    call
}

/// `POST /api/missions/{id}/phases/{phase_id}/retry`
#[must_use]
pub fn retry_phase(id: &MissionId, phase_id: &MissionPhaseId) -> Call<MissionDetail> {
    Call::new(Method::POST, format!("/api/missions/{}/phases/{}/retry", segment(id), segment(phase_id)))
}

/// `POST /api/missions/{id}/phases/{phase_id}/skip`
#[must_use]
pub fn skip_phase(id: &MissionId, phase_id: &MissionPhaseId) -> Call<MissionDetail> {
    Call::new(Method::POST, format!("/api/missions/{}/phases/{}/skip", segment(id), segment(phase_id)))
}

/// `GET /api/missions/{id}/report`
#[must_use]
pub fn mission_report(id: &MissionId) -> Call<Nothing> {
    Call::new(Method::GET, format!("/api/missions/{}/report", segment(id)))
}

/// `POST /api/missions/{id}/report`
#[must_use]
pub fn request_report_pdf(id: &MissionId) -> Call<MissionArtifact> {
    Call::new(Method::POST, format!("/api/missions/{}/report", segment(id)))
}

/// `GET /api/missions/{id}/artifacts/{artifact_id}/content`
#[must_use]
pub fn artifact_content(id: &MissionId, artifact_id: &MissionArtifactId) -> Call<Nothing> {
    Call::new(Method::GET, format!("/api/missions/{}/artifacts/{}/content", segment(id), segment(artifact_id)))
}
