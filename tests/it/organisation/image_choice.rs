//! The image and the limits of new sandboxes: chosen by an agent, its team or its template.

use roost_tests::{Gateway, Person};
use serde_json::{Value, json};

async fn template(owner: &Person, key: &str) -> String {
    let list = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = list.body["items"].as_array().cloned().unwrap_or_default();
    let found = items.iter().find(|template| template["key"] == key);
    let id = found.and_then(|template| template["id"].as_str());
    id.expect("a built-in template").to_owned()
}

#[tokio::test]
async fn image_of_agent_goes_before_that_of_team_and_template() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let sdlc = template(owner, "rust_sdlc").await;
        let new = json!({ "name": "Ledger", "template_id": sdlc });
        let team = owner.post("/api/teams").json(&new).expect(201).await;
        let path = format!("/api/teams/{}", team.str("/id"));
        let of = |kind: &str, from: &str| json!({ "kind": kind, "from": from });
        assert_eq!(team.body["effective_image"], of("rust", "template"));
        assert_eq!(
            (&team.body["image"], &team.body["limits"]),
            (&Value::Null, &json!({}))
        );
        let agent = team.str("/members/1/agent_id").to_owned();
        let runtime = format!("/api/claws/{agent}/runtime-config");
        let config = async || owner.get(&runtime).expect(200).await.body;
        assert_eq!(config().await["effective_image"], of("rust", "template"));

        let limits = json!({ "memory_bytes": 268_435_456, "nano_cpus": 500_000_000 });
        let change = json!({ "image": "node", "limits": limits });
        let changed = owner.patch(&path).json(&change).expect(200).await;
        assert_eq!(changed.body["effective_image"], of("node", "team"));
        assert_eq!(changed.body["limits"], limits);
        assert_eq!(config().await["effective_image"], of("node", "team"));

        let own = json!({ "image": "python", "limits": { "nano_cpus": 250_000_000 } });
        let changed = owner.patch(&runtime).json(&own).expect(200).await.body;
        assert_eq!(changed["effective_image"], of("python", "agent"));
        assert_eq!(changed["limits"], own["limits"]);
        let both = json!({ "memory_bytes": 268_435_456, "nano_cpus": 250_000_000 });
        assert_eq!(changed["effective_limits"], both);
        let untouched = json!({ "risk_profile": "toolfree" });
        let same = owner
            .patch(&runtime)
            .json(&untouched)
            .expect(200)
            .await
            .body;
        assert_eq!(
            (&same["image"], &same["limits"]),
            (&own["image"], &own["limits"])
        );

        let back = json!({ "image": null, "limits": {} });
        owner.patch(&runtime).json(&back).expect(200).await;
        let changed = owner.patch(&path).json(&back).expect(200).await;
        assert_eq!(changed.body["effective_image"], of("rust", "template"));
        assert_eq!(config().await["effective_limits"], json!({}));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn unknown_image_and_impossible_limits_are_refused_where_they_are_chosen() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let new = |more: Value| {
        let mut new =
            json!({ "name": "Two", "roles": [{ "slot": "writer" }], "topology": "single" });
        new.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        new
    };
    let team = owner
        .post("/api/teams")
        .json(&new(json!({})))
        .expect(201)
        .await;
    assert_eq!(
        team.body["effective_image"],
        json!({ "kind": null, "from": "deployment" })
    );
    let path = format!("/api/teams/{}", team.str("/id"));
    let runtime = format!(
        "/api/claws/{}/runtime-config",
        team.str("/members/0/agent_id")
    );
    for (wrong, pointer) in [
        (json!({ "image": "cobol" }), "/image"),
        (json!({ "image": "roost-agent:rust" }), "/image"),
        (
            json!({ "limits": { "memory_bytes": 1 } }),
            "/limits/memory_bytes",
        ),
        (json!({ "limits": { "devices": [] } }), "/limits/devices"),
    ] {
        for request in [
            owner.post("/api/teams").json(&new(wrong.clone())),
            owner.patch(&path).json(&wrong),
            owner.patch(&runtime).json(&wrong),
        ] {
            let refused = request.refused(400, "validation").await;
            assert!(
                refused.body["errors"].to_string().contains(pointer),
                "{wrong}: {}",
                refused.text
            );
        }
    }
    let named = new(json!({ "name": "Three", "image": "python" }));
    let team = owner.post("/api/teams").json(&named).expect(201).await;
    assert_eq!(
        team.body["effective_image"],
        json!({ "kind": "python", "from": "team" })
    );
    gateway.stop().await;
}
