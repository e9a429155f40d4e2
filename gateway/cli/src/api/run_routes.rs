//! The routes of runs that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

use http::Method;

use super::call::{Call, Page, Stream, segment};
use super::types::*;

/// `GET /api/topology-runs`
#[must_use]
pub fn runs(limit: Option<u64>, team_id: Option<&TeamId>, template_id: Option<&TemplateId>, model: Option<&str>, status: Option<&RunStatus>, waiting: Option<bool>, outcome: Option<&RunOutcome>, created_by: Option<&UserId>, from: Option<&Moment>, until: Option<&Moment>, q: Option<&str>, sort: Option<&str>, origin: Option<&RunOriginWord>, all: Option<bool>) -> Call<Page<RunSummary>> {
    let mut call = Call::new(Method::GET, "/api/topology-runs".to_owned());
    call.query("limit", limit);
    call.query("team_id", team_id);
    call.query("template_id", template_id);
    call.query("model", model);
    call.query("status", status);
    call.query("waiting", waiting);
    call.query("outcome", outcome);
    call.query("created_by", created_by);
    call.query("from", from);
    call.query("until", until);
    call.query("q", q);
    call.query("sort", sort);
    call.query("origin", origin);
    call.query("all", all);
    call
}

/// `POST /api/topology-runs/compare`
#[must_use]
pub fn compare_runs(body: &NewComparison) -> Call<RunSummary> {
    let mut call = Call::new(Method::POST, "/api/topology-runs/compare".to_owned());
    call.body(body);
    call
}

/// `GET /api/topology-runs/{id}`
#[must_use]
pub fn run(id: &RunId) -> Call<Run> {
    Call::new(Method::GET, format!("/api/topology-runs/{}", segment(id)))
}

/// `POST /api/topology-runs/{id}/cancel`
#[must_use]
pub fn cancel_run(id: &RunId) -> Call<RunSummary> {
    Call::new(Method::POST, format!("/api/topology-runs/{}/cancel", segment(id)))
}

/// `POST /api/topology-runs/{id}/steps/{step}/stop`
#[must_use]
pub fn stop_step(id: &RunId, step: &str, lap: Option<u32>) -> Call<RunSummary> {
    let mut call = Call::new(Method::POST, format!("/api/topology-runs/{}/steps/{}/stop", segment(id), segment(step)));
    call.query("lap", lap);
    call
}

/// `POST /api/topology-runs/{id}/pause`
#[must_use]
pub fn pause_run(id: &RunId) -> Call<RunSummary> {
    Call::new(Method::POST, format!("/api/topology-runs/{}/pause", segment(id)))
}

/// `POST /api/topology-runs/{id}/resume`
#[must_use]
pub fn resume_run(id: &RunId) -> Call<RunSummary> {
    Call::new(Method::POST, format!("/api/topology-runs/{}/resume", segment(id)))
}

/// `POST /api/topology-runs/{id}/messages`
#[must_use]
pub fn say_to_run(id: &RunId, body: &NewRunMessage) -> Call<RunMessage> {
    let mut call = Call::new(Method::POST, format!("/api/topology-runs/{}/messages", segment(id)));
    call.body(body);
    call
}

/// `POST /api/topology-runs/{id}/fork`
#[must_use]
pub fn fork_run(id: &RunId, body: &ForkFrom) -> Call<RunSummary> {
    let mut call = Call::new(Method::POST, format!("/api/topology-runs/{}/fork", segment(id)));
    call.body(body);
    call
}

/// `GET /api/topology-runs/{id}/calls`
#[must_use]
pub fn run_calls(id: &RunId) -> Call<RunCalls> {
    Call::new(Method::GET, format!("/api/topology-runs/{}/calls", segment(id)))
}

/// `GET /api/topology-runs/{id}/steps/{step}/calls`
#[must_use]
pub fn step_calls(id: &RunId, step: &str, lap: Option<u32>, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<RunCall>> {
    let mut call = Call::new(Method::GET, format!("/api/topology-runs/{}/steps/{}/calls", segment(id), segment(step)));
    call.query("lap", lap);
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/topology-runs/{id}/events`
#[must_use]
pub fn run_events(id: &RunId, last_event_id: Option<&str>) -> Call<Stream<LiveEvents>> {
    let mut call = Call::new(Method::GET, format!("/api/topology-runs/{}/events", segment(id)));
    call.query("last_event_id", last_event_id);
    call
}
