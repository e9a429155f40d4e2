//! The cases of missions.

use roost_tests::Person;
use serde_json::json;

use super::Case;
use super::Least::Role;

/// Who may call what. A phase or an artifact that does not exist is refused only after the role.
pub const CASES: &[Case] = &[
    ("GET /api/missions", Role("viewer"), ""),
    (
        "POST /api/missions",
        Role("member"),
        r#"{"template_kind":"research"}"#,
    ),
    ("GET /api/missions/{id}", Role("viewer"), ""),
    ("GET /api/missions/{id}/launch-plan", Role("member"), ""),
    (
        "POST /api/missions/{id}/status",
        Role("member"),
        r#"{"status":"cancelled"}"#,
    ),
    ("GET /api/missions/{id}/report", Role("viewer"), ""),
    ("GET /api/missions/{id}/teams", Role("viewer"), ""),
    (
        "POST /api/missions/{id}/phases/{phase_id}/retry",
        Role("member"),
        "",
    ),
    (
        "POST /api/missions/{id}/phases/{phase_id}/skip",
        Role("member"),
        "",
    ),
    (
        "GET /api/missions/{id}/phases/{phase_id}/summary",
        Role("viewer"),
        "",
    ),
    (
        "GET /api/missions/{id}/artifacts/{artifact_id}",
        Role("viewer"),
        "",
    ),
    (
        "GET /api/missions/{id}/artifacts/{artifact_id}/content",
        Role("viewer"),
        "",
    ),
];

/// A mission of the owner's workspace.
pub async fn target(owner: &Person) -> String {
    let new = json!({ "template_kind": "research", "title": "target" });
    let made = owner.post("/api/missions").json(&new).expect(201).await;
    made.str("/id").to_owned()
}
