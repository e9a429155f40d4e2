//! Agents: create, change, delete, quotas, idempotency.

use roost_gateway::app::Surroundings;
use roost_platform::supervision::KillPoints;
use roost_tests::{Gateway, Store, eventually};
use serde_json::json;

#[tokio::test]
async fn an_agent_is_created_changed_listed_and_softly_deleted_on_each_back_end() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let body = json!({ "name": " Ada ", "role": "coder", "system_prompt": "You code." });
        let made = owner.post("/api/claws").json(&body).expect(201).await;
        assert_eq!(made.body["name"], "Ada");
        assert_eq!(made.body["managed_by"]["id"], owner.id.as_str());
        assert_eq!(made.body["status"], "offline");
        let path = format!("/api/claws/{}", made.str("/id"));
        let change = json!({ "name": "Ada L.", "role": null });
        let stale = owner.patch(&path).header("if-match", "9").json(&change);
        stale.refused(412, "precondition-failed").await;
        let changed = owner.patch(&path).header("if-match", "1").json(&change);
        let changed = changed.expect(200).await;
        assert_eq!(changed.body["version"], 2);
        assert!(changed.body.get("role").is_none());
        assert_eq!(changed.body["system_prompt"], "You code.");
        owner.delete(&path).expect(204).await;
        owner.delete(&path).expect(204).await;
        let list = owner.get("/api/claws").expect(200).await;
        assert_eq!(list.body["items"], json!([]));
        let list = owner
            .get("/api/claws?include_deleted=true")
            .expect(200)
            .await;
        assert!(list.body["items"][0]["deleted_at"].is_string());
        let quota = owner.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"], json!({ "used": 0, "limit": 1000 }));
        let audit = owner.get("/api/audit").expect(200).await;
        let actions: Vec<&str> = audit.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["action"].as_str())
            .filter(|action| action.starts_with("claw"))
            .collect();
        assert_eq!(actions, ["claw.deleted", "claw.changed", "claw.created"]);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn requests_at_the_same_time_never_take_more_than_the_plan_allows() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let stranger = gateway.stranger().await;
        let tries = (0..12).map(|n| {
            let body = json!({ "name": format!("agent {n}") });
            stranger.post("/api/claws").json(&body).send()
        });
        let answers = futures::future::join_all(tries).await;
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(made, 5, "the plan `free` has 5 agents");
        let refused = answers.iter().find(|answer| answer.status != 201).unwrap();
        assert_eq!(refused.status, 402);
        assert_eq!(refused.body["code"], "quota-exceeded");
        assert_eq!(
            (&refused.body["limit"], &refused.body["used"]),
            (&json!(5), &json!(5))
        );
        let quota = stranger.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"]["used"], 5);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn purged_agent_is_deleted_and_its_name_stays_in_the_audit_log() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let body = json!({ "name": "Gone" });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    let path = format!("/api/claws/{}", made.str("/id"));
    let begun = owner
        .delete(&format!("{path}?purge=true"))
        .expect(202)
        .await;
    assert_eq!(begun.body["state"], "running");
    eventually("the agent is gone", || async {
        (owner.get(&path).send().await.status == 404).then_some(())
    })
    .await;
    let audit = owner.get("/api/audit").expect(200).await;
    assert!(audit.text.contains("claw.purge_begun") && audit.text.contains("Gone"));
    gateway.stop().await;
}

#[tokio::test]
async fn a_key_makes_one_agent_however_often_and_at_once_it_is_sent() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let body = json!({ "name": "Once" });
        let create = |body: &serde_json::Value| {
            owner
                .post("/api/claws")
                .header("idempotency-key", "key-1")
                .json(body)
        };
        let tries = futures::future::join_all((0..8).map(|_| create(&body).send())).await;
        for answer in &tries {
            // A request that arrives while the first is in progress is refused.
            assert!([201, 409].contains(&answer.status), "{}", answer.text);
        }
        let again = create(&body).expect(201).await;
        assert_eq!(again.header("idempotent-replay"), "true");
        for answer in tries.iter().filter(|answer| answer.status == 201) {
            assert_eq!(answer.body, again.body);
        }
        let other = create(&json!({ "name": "Other" }));
        other.refused(409, "idempotency-mismatch").await;
        let list = owner.get("/api/claws").expect(200).await;
        assert_eq!(list.body["items"].as_array().unwrap().len(), 1);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn an_answer_with_a_secret_is_not_kept_and_a_refusal_may_be_tried_again() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let open = || {
        owner
            .post("/api/auth/sessions")
            .header("idempotency-key", "s")
            .json(&json!({ "label": "ci" }))
    };
    open().expect(201).await;
    open().refused(409, "already-answered").await;
    let create = |name: &str| {
        owner
            .post("/api/claws")
            .header("idempotency-key", "c")
            .json(&json!({ "name": name }))
    };
    create("").refused(400, "validation").await;
    create("named").expect(201).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_purge_whose_driver_is_killed_at_any_point_finishes_all_the_same() {
    for point in [
        "sagas.before_step",
        "sagas.after_effect",
        "sagas.after_commit",
    ] {
        let kill_points = KillPoints::allowed();
        for order in ["panic", "panic@1"] {
            let order = format!("{point}={order}");
            kill_points.arm(order.parse().unwrap()).unwrap();
        }
        let around = Surroundings {
            kill_points: Some(kill_points),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let gateway = Gateway::start_in(folder, &Store::Sqlite, &[], around)
            .await
            .unwrap();
        let owner = gateway.owner().await;
        let body = json!({ "name": "Gone" });
        let made = owner.post("/api/claws").json(&body).expect(201).await;
        let path = format!("/api/claws/{}", made.str("/id"));
        owner
            .delete(&format!("{path}?purge=true"))
            .expect(202)
            .await;
        eventually(point, || async {
            (owner.get(&path).send().await.status == 404).then_some(())
        })
        .await;
        let quota = owner.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"]["used"], 0, "given back once: {point}");
        gateway.stop().await;
    }
}
