//! Built-in templates, and the templates that a workspace makes.

use roost_organisation::templates::{builtin, model};
use roost_tests::{Answer, Gateway};
use serde_json::{Value, json};

use super::{content, create, role, stop};

#[tokio::test]
async fn the_built_in_ones_are_there_with_the_same_ids_everywhere() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let mut ids = Vec::new();
        let (mut seen, mut query) = (Vec::new(), "limit=4".to_owned());
        loop {
            let page = owner
                .get(&format!("/api/team-templates?{query}"))
                .expect(200)
                .await;
            for one in page.body["items"].as_array().unwrap() {
                seen.push(one["key"].as_str().unwrap().to_owned());
                ids.push(one["id"].as_str().unwrap().to_owned());
            }
            assert!(!page.text.contains("system_prompt"), "a list has no texts");
            let Some(cursor) = page.body["next_cursor"].as_str() else {
                break;
            };
            query = format!("limit=4&cursor={cursor}");
        }
        seen.sort();
        let all: Vec<&str> = builtin::all().iter().map(|one| one.key.as_str()).collect();
        assert_eq!(seen, all);
        let mut expected: Vec<String> = all
            .iter()
            .map(|key| model::builtin_id(key).to_string())
            .collect();
        expected.sort();
        ids.sort();
        assert_eq!(ids, expected);
        let research = owner
            .get("/api/team-templates?category=research")
            .expect(200)
            .await;
        assert_eq!(research.body["items"].as_array().unwrap().len(), 5);
        owner
            .get("/api/team-templates?category=cooking")
            .refused(400, "validation")
            .await;

        let path = format!("/api/team-templates/{}", model::builtin_id("rust_sdlc"));
        let one = owner.get(&path).expect(200).await;
        let known = builtin::all()
            .iter()
            .find(|one| one.key == "rust_sdlc")
            .unwrap();
        assert_eq!(one.body["roles"], json!(known.content.roles));
        assert_eq!(
            (one.str("/source"), &one.body["missing_skills"]),
            ("builtin", &json!([]))
        );
        let version = owner
            .get(&format!("{path}/versions/{}", known.version))
            .expect(200)
            .await;
        assert_eq!(version.body["content"], json!(known.content));
        owner
            .put(&path)
            .json(&content("x", &[role("a", "a")]))
            .refused(409, "conflict")
            .await;
        owner.delete(&path).refused(409, "conflict").await;
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_workspace_makes_its_own_from_a_copy_and_every_version_stays() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let from = model::builtin_id("rust_sdlc").to_string();
        let copy = json!({ "key": "ours", "from": from, "name": "Ours" });
        let made = owner
            .post("/api/team-templates")
            .header("idempotency-key", "k")
            .json(&copy)
            .expect(201)
            .await;
        let original = owner
            .get(&format!("/api/team-templates/{from}"))
            .expect(200)
            .await;
        assert_eq!(made.body["roles"], original.body["roles"]);
        assert_eq!(
            (made.str("/name"), made.str("/source")),
            ("Ours", "workspace")
        );
        let again = owner.post("/api/team-templates").json(&copy);
        again.refused(409, "conflict").await;
        let taken = json!({ "key": "rust_sdlc", "from": from });
        owner
            .post("/api/team-templates")
            .json(&taken)
            .refused(409, "conflict")
            .await;

        let path = format!("/api/team-templates/{}", made.str("/id"));
        let mut lone = role("coder", "v2");
        lone["skills"] = json!(["code-review", "nobody-wrote-this"]);
        let second = content("Ours", &[lone]);
        let put =
            |over: &str, content: &Value| owner.put(&path).header("if-match", over).json(content);
        let written = put("1", &second).expect(200).await;
        assert_eq!(written.body["version"], 2);
        assert_eq!(
            written.body["missing_skills"],
            json!([{ "slot": "coder", "name": "nobody-wrote-this" }])
        );
        assert_eq!(put("1", &second).expect(200).await.body["version"], 2);
        let third = content("Ours", &[role("coder", "v3")]);
        put("1", &third).refused(412, "precondition-failed").await;
        let list = owner.get(&format!("{path}/versions")).expect(200).await;
        let versions: Vec<i64> = list.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["version"].as_i64().unwrap())
            .collect();
        assert_eq!(versions, [2, 1]);
        let first = owner.get(&format!("{path}/versions/1")).expect(200).await;
        assert_eq!(first.body["content"]["roles"], original.body["roles"]);

        let stranger = gateway.stranger().await;
        stranger.get(&path).refused(404, "not-found").await;
        stranger
            .get(&format!("{path}/versions/1"))
            .refused(404, "not-found")
            .await;
        let copied = json!({ "key": "stolen", "from": made.str("/id") });
        stranger
            .post("/api/team-templates")
            .json(&copied)
            .refused(404, "not-found")
            .await;

        owner.delete(&path).expect(204).await;
        owner.get(&path).refused(404, "not-found").await;
        owner.delete(&path).refused(404, "not-found").await;
        // What agents were made from stays readable, and the key is free again.
        owner.get(&format!("{path}/versions/2")).expect(200).await;
        create(owner, "ours", content("Next", &[role("a", "a")])).await;
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_the_field() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let with = |pointer: &str, value: Value| {
        let mut body = content("x", &[role("a", "a"), role("b", "b")]);
        body["key"] = "x".into();
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    for (pointer, value, told) in [
        ("/key", json!("Not So"), "/key"),
        ("/name", json!(""), "/name"),
        ("/stack", json!("cobol"), "/stack"),
        ("/default_topology", json!("pyramid"), "/default_topology"),
        ("/risk_profile", json!("root"), "/risk_profile"),
        (
            "/mcp_bundles",
            json!(["skills", "browser"]),
            "/mcp_bundles/1",
        ),
        (
            "/mcp_bundles",
            json!(["skills", "skills"]),
            "/mcp_bundles/1",
        ),
        ("/category", json!("cooking"), "/category"),
        ("/roles", json!([]), "/roles"),
        ("/roles/1/slot", json!("a"), "/roles/1/slot"),
        ("/roles/1/slot", json!("a b"), "/roles/1/slot"),
        (
            "/roles/0/system_prompt",
            json!(""),
            "/roles/0/system_prompt",
        ),
        (
            "/roles/0/system_prompt",
            json!("x".repeat(20_001)),
            "/roles/0/system_prompt",
        ),
        ("/roles/0/skills", json!(["Not So"]), "/roles/0/skills/0"),
    ] {
        let request = owner
            .post("/api/team-templates")
            .json(&with(pointer, value));
        let refused = request.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), told, "{}", refused.text);
    }
    let lacking = owner
        .post("/api/team-templates")
        .json(&json!({ "key": "x", "name": "x" }));
    let lacking = lacking.refused(400, "validation").await;
    let pointers: Vec<&str> = lacking.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["pointer"].as_str().unwrap())
        .collect();
    let needed = [
        "/stack",
        "/default_topology",
        "/risk_profile",
        "/mcp_bundles",
        "/roles",
    ];
    assert_eq!(pointers, needed);
    gateway.stop().await;
}

#[tokio::test]
async fn one_of_many_concurrent_writes_of_a_version_wins() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let made = create(owner, "ours", content("Ours", &[role("a", "a")])).await;
        let path = format!("/api/team-templates/{}", made.str("/id"));
        let contents: Vec<Value> = (0..6)
            .map(|n| content("Ours", &[role("a", &format!("prompt {n}")), role("b", "b")]))
            .collect();
        let tries = contents.iter().map(|content| {
            owner
                .put(&path)
                .header("if-match", "1")
                .json(content)
                .send()
        });
        let answers = futures::future::join_all(tries).await;
        let won: Vec<&Answer> = answers.iter().filter(|one| one.status == 200).collect();
        assert_eq!(won.len(), 1);
        assert!(
            answers
                .iter()
                .all(|one| one.status == 200 || one.status == 412)
        );
        let now = owner.get(&path).expect(200).await;
        assert_eq!(
            (&now.body["version"], &now.body["roles"]),
            (&json!(2), &won[0].body["roles"])
        );
        stop(gateway, scratch).await;
    }
}
