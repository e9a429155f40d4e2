//! Tokens with scopes: they do what both their scopes and their person's role allow, at each request, and nothing about
//! the account.

use roost_tests::{Client, Gateway, Person};
use serde_json::{Value, json};

async fn token(gateway: &Gateway, person: &Person, scopes: Value) -> Client {
    let new = json!({ "label": "ci", "scopes": scopes });
    let made = person.post("/api/auth/sessions").json(&new);
    let made = made.expect(201).await;
    assert_eq!(made.body["scopes"], scopes);
    gateway.anonymous().with_token(made.str("/token"))
}

#[tokio::test]
async fn token_with_scopes_does_only_what_both_they_and_the_role_allow() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let ci = token(&gateway, owner, json!(["claws.read", "runs.read"])).await;
        ci.get("/api/claws").expect(200).await;
        ci.get("/api/topology-runs").expect(200).await;
        let refused = ci.get("/api/teams").refused(403, "forbidden").await;
        assert!(refused.str("/detail").contains("teams.read"), "{refused:?}");
        let new = json!({ "name": "ada" });
        ci.post("/api/claws")
            .json(&new)
            .refused(403, "forbidden")
            .await;
        let me = ci.get("/api/auth/me").expect(200).await;
        assert_eq!(me.body["permissions"], json!(["claws.read", "runs.read"]));

        // A right that only some requests to a route need.
        let claw = owner.post("/api/claws").json(&new).expect(201).await;
        let path = format!("/api/claws/{}", claw.str("/id"));
        let writes = token(&gateway, owner, json!(["claws.write"])).await;
        let purge = writes.delete(&format!("{path}?purge=true"));
        purge.refused(403, "forbidden").await;
        writes.delete(&path).expect(204).await;

        let list = owner.get("/api/auth/sessions").expect(200).await;
        let scopes: Vec<&Value> = list.body["items"]
            .as_array()
            .expect("sessions")
            .iter()
            .map(|session| &session["scopes"])
            .collect();
        let wanted = [
            json!(["claws.write"]),
            json!(["claws.read", "runs.read"]),
            Value::Null,
        ];
        assert_eq!(scopes, wanted.iter().collect::<Vec<_>>());
        let audit = owner
            .get("/api/audit?action=token.created")
            .expect(200)
            .await;
        assert!(audit.text.contains("claws.write"), "{}", audit.text);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn token_with_scopes_follows_its_persons_role_at_each_request() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let bea = gateway.person("member").await;
    let ci = token(&gateway, &bea, json!(["claws.read", "claws.write"])).await;
    let new = |name: &str| ci.post("/api/claws").json(&json!({ "name": name }));
    new("one").expect(201).await;
    let path = format!("/api/workspaces/{}/members/{}", owner.workspace, bea.id);
    let weaker = owner.patch(&path).json(&json!({ "role": "viewer" }));
    weaker.expect(200).await;
    new("two").refused(403, "forbidden").await;
    ci.get("/api/claws").expect(200).await;
    let me = ci.get("/api/auth/me").expect(200).await;
    assert_eq!(me.body["permissions"], json!(["claws.read"]));
    gateway.stop().await;
}

#[tokio::test]
async fn token_with_scopes_changes_nothing_about_the_account_and_operates_nothing() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let owner = gateway.owner().await;
    owner.get("/api/ops/plans").expect(200).await;
    let me = owner.get("/api/auth/me").expect(200).await;
    // All scopes are not the same as no scopes.
    let all = me.body["permissions"].clone();
    let ci = token(&gateway, owner, all.clone()).await;
    let me = ci.get("/api/auth/me").expect(200).await;
    assert_eq!(
        (&me.body["permissions"], &me.body["operator"]),
        (&all, &json!(false))
    );
    ci.get("/api/ops/plans").refused(403, "forbidden").await;
    let workspace = format!("/api/workspaces/{}", owner.workspace);
    for (method, path, body) in [
        (
            "POST",
            "/api/auth/sessions",
            json!({ "label": "successor" }),
        ),
        ("GET", "/api/auth/sessions", Value::Null),
        (
            "POST",
            "/api/auth/password",
            json!({ "new": "a long enough one" }),
        ),
        ("PATCH", "/api/auth/me", json!({ "name": "Eve" })),
        ("DELETE", "/api/auth/me/avatar", Value::Null),
        (
            "PUT",
            "/api/auth/workspace",
            json!({ "workspace_id": owner.workspace }),
        ),
        (
            "POST",
            "/api/auth/device/confirm",
            json!({ "code": "BCDF-GHJK" }),
        ),
        ("POST", "/api/workspaces", json!({ "name": "Eve's" })),
        ("PATCH", &workspace, json!({ "plan": "team" })),
    ] {
        let request = ci.request(method.parse().expect("a method"), path);
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        let refused = request.send().await;
        assert_eq!(refused.status, 403, "{method} {path}: {}", refused.text);
    }
    let sessions = owner.get("/api/auth/sessions").expect(200).await;
    let own = format!("/api/auth/sessions/{}", sessions.str("/items/1/id"));
    ci.delete(&own).refused(403, "forbidden").await;
    // A token without scopes may end others, and each may end itself.
    ci.post("/api/auth/logout").expect(204).await;
    ci.get("/api/auth/me").expect(401).await;
    owner.get("/api/auth/me").expect(200).await;
    gateway.stop().await;
}

#[tokio::test]
async fn scopes_that_do_not_exist_or_exceed_the_role_are_refused() {
    let gateway = Gateway::start().await;
    let bea = gateway.person("viewer").await;
    let make = |body: Value| bea.post("/api/auth/sessions").json(&body);
    let unknown = make(json!({ "label": "x", "scopes": ["claws.read", "runs.write"] }));
    let unknown = unknown.refused(400, "validation").await;
    assert_eq!(unknown.str("/pointer"), "/scopes/1");
    make(json!({ "label": "x", "scopes": [] }))
        .refused(400, "validation")
        .await;
    make(json!({ "label": "x", "expires_in_days": 367 }))
        .refused(400, "validation")
        .await;
    let beyond = make(json!({ "label": "x", "scopes": ["runs.start"] }));
    let beyond = beyond.refused(403, "forbidden").await;
    assert!(beyond.str("/detail").contains("runs.start"), "{beyond:?}");
    gateway.stop().await;
}
