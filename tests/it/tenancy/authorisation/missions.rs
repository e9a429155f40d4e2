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
    ("POST /api/missions/{id}/report", Role("member"), ""),
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
    (
        "POST /api/missions/{id}/artifacts/{artifact_id}/pdf",
        Role("member"),
        "",
    ),
    ("GET /api/routines", Role("viewer"), ""),
    ("POST /api/routines", Role("member"), ROUTINE),
    ("GET /api/routines/runs", Role("viewer"), ""),
    (
        "POST /api/routines/preview",
        Role("viewer"),
        r#"{"schedule":{"kind":"cron","expression":"0 3 1 1 *"}}"#,
    ),
    ("GET /api/routines/{id}", Role("viewer"), ""),
    (
        "PATCH /api/routines/{id}",
        Role("member"),
        r#"{"name":"target"}"#,
    ),
    ("DELETE /api/routines/{id}", Role("member"), ""),
    ("POST /api/routines/{id}/run", Role("member"), ""),
];

/// A routine of a template that does not exist: a request with the right is refused with 404, and nothing is made.
const ROUTINE: &str = r#"{"name":"x","schedule":{"kind":"cron","expression":"0 3 1 1 *"},
    "recipe":{"kind":"team","goal":"x","template_id":"01900000-0000-7000-8000-000000000000"}}"#;

/// A routine of the owner's workspace.
pub async fn routine(owner: &Person) -> String {
    let template = {
        // The key of a template has letters, digits and `_` only.
        let name =
            roost_tests::unique("Readers").replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        crate::missions::template(owner, &name).await
    };
    let new = json!({ "name": "target", "schedule": { "kind": "cron", "expression": "0 3 1 1 *" },
        "recipe": { "kind": "team", "goal": "x", "template_id": template } });
    let made = owner.post("/api/routines").json(&new).expect(201).await;
    made.str("/id").to_owned()
}

/// A mission of the owner's workspace.
pub async fn target(owner: &Person) -> String {
    let new = json!({ "template_kind": "research", "title": "target" });
    let made = owner.post("/api/missions").json(&new).expect(201).await;
    made.str("/id").to_owned()
}
