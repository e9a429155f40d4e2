//! The cases of skills and team templates.

use roost_tests::Person;
use serde_json::{Value, json};

use super::Case;
use super::Least::Role;

pub const CASES: &[Case] = &[
    ("GET /api/skills", Role("viewer"), ""),
    (
        "POST /api/skills",
        Role("member"),
        r#"{"name":"x","title":"x","when_to_use":"x","body":"x"}"#,
    ),
    ("GET /api/skills/{id}", Role("viewer"), ""),
    (
        "PUT /api/skills/{id}",
        Role("member"),
        r#"{"title":"y","when_to_use":"y","body":"y"}"#,
    ),
    ("DELETE /api/skills/{id}", Role("member"), ""),
    ("GET /api/skills/{id}/versions", Role("viewer"), ""),
    (
        "GET /api/skills/{id}/versions/{version}",
        Role("viewer"),
        "",
    ),
    (
        "POST /api/skills/{id}/versions/{version}/restore",
        Role("member"),
        "",
    ),
    ("GET /api/claws/{id}/skills", Role("viewer"), ""),
    (
        "PUT /api/claws/{id}/skills/{skill_id}",
        Role("member"),
        r#"{"include":true}"#,
    ),
    (
        "DELETE /api/claws/{id}/skills/{skill_id}",
        Role("member"),
        "",
    ),
    ("GET /api/team-templates", Role("viewer"), ""),
    (
        "POST /api/team-templates",
        Role("member"),
        TEMPLATE_WITH_KEY,
    ),
    ("GET /api/team-templates/{id}", Role("viewer"), ""),
    ("PUT /api/team-templates/{id}", Role("member"), TEMPLATE),
    ("DELETE /api/team-templates/{id}", Role("member"), ""),
    ("GET /api/team-templates/{id}/versions", Role("viewer"), ""),
    (
        "GET /api/team-templates/{id}/versions/{version}",
        Role("viewer"),
        "",
    ),
    ("GET /api/team-templates/{id}/agents", Role("viewer"), ""),
    (
        "POST /api/team-templates/{id}/upgrade",
        Role("member"),
        "{}",
    ),
];

const TEMPLATE: &str = r#"{"name":"x","description":"","stack":"any","default_topology":"single","risk_profile":"toolfree","mcp_bundles":[],"roles":[{"slot":"x","title":"x","system_prompt":"x"}]}"#;
const TEMPLATE_WITH_KEY: &str = r#"{"key":"x","name":"x","stack":"any","default_topology":"single","risk_profile":"toolfree","mcp_bundles":[],"roles":[{"slot":"x","title":"x","system_prompt":"x"}]}"#;

/// Whether an id in the path is of the catalogue.
pub fn is_of(path: &str) -> bool {
    path.starts_with("/api/skills/{id}") || path.starts_with("/api/team-templates/{id}")
}

/// The id of something of the owner's workspace.
pub async fn target(owner: &Person, path: &str) -> String {
    let (list, body) = if path.starts_with("/api/skills") {
        let name = format!("target-{}", fresh());
        let body = json!({ "name": name, "title": "x", "when_to_use": "x", "body": "x" });
        ("/api/skills", body)
    } else {
        let mut body: Value = serde_json::from_str(TEMPLATE).expect("a template");
        body["key"] = format!("t{}", fresh()).into();
        ("/api/team-templates", body)
    };
    let made = owner.post(list).json(&body).expect(201).await;
    made.str("/id").to_owned()
}

/// For names that may be there once only.
fn fresh() -> u64 {
    static LAST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
