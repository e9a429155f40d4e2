//! The cases of teams, their runs, and agents' runtime records.

use roost_tests::Person;
use serde_json::json;

use super::Case;
use super::Least::Role;

/// Who may call what.
pub const CASES: &[Case] = &[
    ("GET /api/teams", Role("viewer"), ""),
    (
        "POST /api/teams",
        Role("member"),
        r#"{"name":"x","roles":[{"slot":"x"}]}"#,
    ),
    ("GET /api/teams/{id}", Role("viewer"), ""),
    ("PATCH /api/teams/{id}", Role("member"), r#"{"name":"y"}"#),
    ("DELETE /api/teams/{id}", Role("member"), ""),
    ("PATCH /api/teams/{id}/runtime-config", Role("member"), "{}"),
    (
        "POST /api/teams/{id}/run",
        Role("member"),
        r#"{"input":"x"}"#,
    ),
    ("GET /api/topology-runs", Role("viewer"), ""),
    ("GET /api/runs/use?by=team", Role("viewer"), ""),
    (
        "POST /api/topology-runs/compare",
        Role("member"),
        r#"{"input":"x","candidates":[{"team_id":"0190a000-0000-7000-8000-000000000001"},{"team_id":"0190a000-0000-7000-8000-000000000002"}]}"#,
    ),
    ("GET /api/topology-runs/{id}", Role("viewer"), ""),
    ("GET /api/topology-runs/{id}/calls", Role("viewer"), ""),
    (
        "GET /api/topology-runs/{id}/steps/{step}/calls",
        Role("viewer"),
        "",
    ),
    ("GET /api/topology-runs/{id}/events", Role("viewer"), ""),
    ("GET /api/runs/{id}/repo", Role("viewer"), ""),
    ("GET /api/runs/{id}/repo/diff", Role("viewer"), ""),
    ("GET /api/runs/{id}/repo/archive", Role("viewer"), ""),
    ("GET /api/uploads/limits", Role("member"), ""),
    ("POST /api/uploads?name=x", Role("member"), ""),
    ("POST /api/runs/{id}/repo/push", Role("member"), "{}"),
    ("POST /api/topology-runs/{id}/cancel", Role("member"), ""),
    (
        "POST /api/topology-runs/{id}/steps/{step}/stop",
        Role("member"),
        "",
    ),
    ("GET /api/topology-runs/{id}/messages", Role("viewer"), ""),
    (
        "POST /api/topology-runs/{id}/messages",
        Role("member"),
        r#"{"text":"x"}"#,
    ),
    ("POST /api/topology-runs/{id}/pause", Role("member"), ""),
    ("POST /api/topology-runs/{id}/resume", Role("member"), ""),
    (
        "POST /api/topology-runs/{id}/fork",
        Role("member"),
        r#"{"step":"x"}"#,
    ),
    ("GET /api/claws/{id}/runtime-config", Role("viewer"), ""),
    ("PATCH /api/claws/{id}/runtime-config", Role("member"), "{}"),
    (
        "POST /api/claws/{id}/run",
        Role("member"),
        r#"{"input":"x"}"#,
    ),
    ("GET /api/claws/{id}/compartments", Role("viewer"), ""),
    ("POST /api/claws/{id}/level-up", Role("member"), ""),
    ("POST /api/teams/{id}/level-up", Role("member"), ""),
    ("GET /api/level-up-proposals", Role("viewer"), ""),
    ("GET /api/level-up-proposals/{id}", Role("viewer"), ""),
    (
        "POST /api/level-up-proposals/{id}/apply",
        Role("member"),
        r#"{"approved_item_ids":["i1"]}"#,
    ),
    (
        "POST /api/level-up-proposals/{id}/reject",
        Role("member"),
        "",
    ),
];

/// Whether an id in the path is of a team, a run or a proposal.
pub fn is_of(path: &str) -> bool {
    [
        "/api/teams/{id}",
        "/api/topology-runs/{id}",
        "/api/runs/{id}",
        "/api/level-up-proposals/{id}",
    ]
    .iter()
    .any(|place| path.starts_with(place))
}

/// The id of something of the owner's workspace.
pub async fn target(owner: &Person, path: &str) -> String {
    let team = json!({ "name": "target", "roles": [{ "slot": "x" }] });
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    if path.starts_with("/api/teams") {
        return team.str("/id").to_owned();
    }
    if path.starts_with("/api/level-up-proposals") {
        let made = format!("/api/teams/{}/level-up", team.str("/id"));
        let made = owner.post(&made).expect(201).await;
        return made.str("/proposal_id").to_owned();
    }
    let run = format!("/api/teams/{}/run", team.str("/id"));
    let run = owner.post(&run).json(&json!({ "input": "x" }));
    run.expect(202).await.str("/id").to_owned()
}
