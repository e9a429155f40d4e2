//! A door from the agent's request to its result.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::clock::{Clock, TestClock};
use roost_tests::{Stream, eventually};
use serde_json::json;

use super::{Bench, TOKEN, issue};

#[tokio::test]
async fn an_approved_door_is_performed_with_the_agent_s_own_connection() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let agent = bench.agent().await;
        let mut stream =
            Stream::open(owner.get("/api/events?types=door.request,door.resolve")).await;
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        assert_eq!(asked.status, 201, "{}", asked.text);
        assert_eq!(asked.str("/state"), "pending");
        assert_eq!(asked.str("/target"), "octo/hello");
        assert_eq!(asked.str("/summary"), "Open the issue “It rains”");
        assert_eq!(asked.body["params"], issue(), "a person sees all of it");
        assert!(bench.app.seen().is_empty(), "nothing happens before");

        let door = asked.str("/id");
        bench.decide(door, "approve").await;
        let done = bench.until(door, "performed").await;
        assert_eq!(done["result"]["status"], 201);
        assert_eq!(
            done["result"]["url"],
            "https://github.example/octo/hello/issues/7"
        );
        let seen = bench.app.seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(
            (&*seen[0].method, &*seen[0].path),
            ("POST", "/api/v3/repos/octo/hello/issues")
        );
        assert_eq!(seen[0].authorization, format!("Bearer {TOKEN}"));
        assert_eq!(seen[0].key, door);
        assert_eq!(seen[0].body["title"], "It rains");

        let told = stream.take(2).await;
        assert_eq!(told[0].data["doorId"], door);
        assert_eq!(told[0].data["action"], "github.issues.create");
        assert_eq!(
            (&told[1].data["decision"], &told[1].data["doorId"]),
            (&json!("approve"), &json!(door))
        );
        let audit = owner.get("/api/audit").expect(200).await;
        let actions: Vec<&str> = audit.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["action"].as_str())
            .filter(|action| action.starts_with("door."))
            .collect();
        assert_eq!(
            actions,
            ["door.performed", "door.approved", "door.requested"]
        );
        assert!(!audit.text.contains("canary"));
        bench.stop().await;
    }
}

#[tokio::test]
async fn every_action_of_the_catalogue_reaches_its_place() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let at = |more: serde_json::Value| {
            let mut params = json!({ "owner": "octo", "repo": "hello", "number": 7 });
            for (key, value) in more.as_object().unwrap() {
                params[key] = value.clone();
            }
            params
        };
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let pull =
            json!({ "owner": "octo", "repo": "hello", "title": "x", "head": "a", "base": "main" });
        let all = [
            (
                "github.issues.create",
                issue(),
                "POST /api/v3/repos/octo/hello/issues",
            ),
            (
                "github.issues.comment",
                at(json!({ "body": "x" })),
                "POST /api/v3/repos/octo/hello/issues/7/comments",
            ),
            (
                "github.issues.close",
                at(json!({ "reason": "not_planned" })),
                "PATCH /api/v3/repos/octo/hello/issues/7",
            ),
            (
                "github.pulls.create",
                pull,
                "POST /api/v3/repos/octo/hello/pulls",
            ),
            (
                "github.pulls.comment",
                at(json!({ "body": "x" })),
                "POST /api/v3/repos/octo/hello/issues/7/comments",
            ),
            (
                "github.pulls.merge",
                at(json!({ "sha": sha, "method": "squash" })),
                "PUT /api/v3/repos/octo/hello/pulls/7/merge",
            ),
            (
                "webhook.event.send",
                json!({ "event": "report.ready", "payload": { "n": 1 } }),
                "POST /hook",
            ),
        ];
        let owner = bench.gateway.owner().await;
        let catalogue = owner.get("/api/doors/catalogue").expect(200).await;
        let named: Vec<&str> = catalogue.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|action| action["action"].as_str())
            // These need a run with a repository: `checkouts/sent.rs`, `checkouts/supplies/added.rs`.
            .filter(|action| !action.starts_with("repo.") && !action.starts_with("supplies."))
            .collect();
        assert_eq!(
            named,
            all.iter().map(|(action, ..)| *action).collect::<Vec<_>>()
        );
        for (number, (action, params, place)) in all.into_iter().enumerate() {
            let asked = bench.ask(&agent, action, params).await;
            assert_eq!(asked.status, 201, "{action}: {}", asked.text);
            bench.decide(asked.str("/id"), "approve").await;
            bench.until(asked.str("/id"), "performed").await;
            let seen = bench.app.seen().remove(number);
            assert_eq!(format!("{} {}", seen.method, seen.path), place, "{action}");
        }
        bench.stop().await;
    }
}

#[tokio::test]
async fn approved_door_is_sent_to_the_requested_address_or_not_at_all() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let params = json!({ "event": "report.ready", "payload": { "n": 1 } });
        let asked = bench.ask(&agent, "webhook.event.send", params).await;
        let hook = format!("http://{}/hook", bench.app.address);
        assert_eq!(asked.str("/address"), hook);
        // Between the question and the answer somebody leads the connection elsewhere.
        let owner = bench.gateway.owner().await;
        let moved = json!({
            "clawId": agent, "provider": "webhook", "secret": TOKEN, "url": format!("{hook}/elsewhere"),
        });
        owner
            .post("/api/apps/connections")
            .json(&moved)
            .expect(201)
            .await;
        bench.decide(asked.str("/id"), "approve").await;
        let failed = bench.until(asked.str("/id"), "failed").await;
        let message = failed["result"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("got another address"), "{failed}");
        assert!(bench.app.seen().is_empty());
        bench.stop().await;
    }
}

#[tokio::test]
async fn one_of_many_concurrent_decisions_wins() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let agent = bench.agent().await;
        for _ in 0..5 {
            let before = bench.app.seen().len();
            let asked = bench.ask(&agent, "github.issues.create", issue()).await;
            let door = asked.str("/id");
            let all =
                (0..20).map(|n| bench.decide(door, if n % 2 == 0 { "approve" } else { "deny" }));
            futures::future::join_all(all).await;
            let end = eventually("it is decided and done", || async {
                let found = owner.get(&format!("/api/doors/{door}")).expect(200).await;
                let state = found.str("/state").to_owned();
                matches!(&*state, "denied" | "performed").then_some(state)
            })
            .await;
            let sent = bench.app.seen().len() - before;
            assert_eq!(sent, usize::from(end == "performed"));
            // A later decision changes nothing and gets the present state.
            assert_eq!(bench.decide(door, "approve").await.str("/state"), end);
            let filter = format!("/api/audit?entity_kind=door&entity_id={door}");
            let audit = owner.get(&filter).expect(200).await;
            let mut counts: HashMap<String, u32> = HashMap::new();
            for entry in audit.body["items"].as_array().unwrap() {
                let action = entry["action"].as_str().unwrap_or_default().to_owned();
                if entry["entity_id"] == door && matches!(&*action, "door.approved" | "door.denied")
                {
                    *counts.entry(action).or_default() += 1;
                }
            }
            assert_eq!(counts.values().sum::<u32>(), 1, "{counts:?}");
        }
        bench.stop().await;
    }
}

#[tokio::test]
async fn invalid_door_request_is_refused_with_the_reason() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let owner = bench.gateway.owner().await;
        let bare = owner
            .post("/api/claws")
            .json(&json!({ "name": "bare" }))
            .expect(201)
            .await;
        let refused = bench
            .ask(bare.str("/id"), "github.issues.create", issue())
            .await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (409, &json!("conflict"))
        );
        assert!(
            refused.text.contains("not connected to github"),
            "{}",
            refused.text
        );
        for (action, params, pointer) in [
            ("github.repos.delete", issue(), "/action"),
            (
                "github.issues.create",
                json!({ "owner": "..", "repo": "hello", "title": "x" }),
                "/params/owner",
            ),
            (
                "github.issues.create",
                json!({ "owner": "octo", "repo": "hello" }),
                "/params",
            ),
            ("github.issues.create", json!([]), "/params"),
            (
                "github.issues.comment",
                json!({ "owner": "octo", "repo": "hello", "number": -1, "body": "x" }),
                "/params/number",
            ),
            (
                "github.pulls.merge",
                json!({ "owner": "octo", "repo": "hello", "number": 1, "sha": "main" }),
                "/params/sha",
            ),
            (
                "webhook.event.send",
                json!({ "event": "x", "url": "https://evil.example" }),
                "/params/url",
            ),
        ] {
            let refused = bench.ask(&agent, action, params).await;
            assert_eq!(refused.status, 400, "{}", refused.text);
            assert_eq!(
                refused.body["errors"][0]["pointer"], pointer,
                "{}",
                refused.text
            );
        }
        let stranger = bench.gateway.stranger().await;
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        let path = format!("/api/doors/{}", asked.str("/id"));
        stranger.get(&path).refused(404, "not-found").await;
        let resolve = json!({ "decision": "approve" });
        stranger
            .post(&format!("{path}/resolve"))
            .json(&resolve)
            .refused(404, "not-found")
            .await;
        let viewer = bench.gateway.person("viewer").await;
        viewer
            .post(&format!("{path}/resolve"))
            .json(&resolve)
            .refused(403, "forbidden")
            .await;
        bench.stop().await;
    }
}

#[tokio::test]
async fn refusal_of_the_app_and_unknown_result_are_reported() {
    for mut bench in Bench::on_each().await {
        let agent = bench.agent().await;
        bench
            .app
            .answers(422, json!({ "message": format!("No \u{1b}[31m {TOKEN}") }));
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(asked.str("/id"), "approve").await;
        let failed = bench.until(asked.str("/id"), "failed").await;
        let message = failed["result"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("No") && !message.contains("canary") && !message.contains('\u{1b}'),
            "{message}"
        );
        bench.app.answers(502, json!(null));
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(asked.str("/id"), "approve").await;
        bench.until(asked.str("/id"), "unclear").await;
        let sent = bench.app.seen().len();
        assert_eq!(sent, 2, "and is not sent again");

        // Without the broker nothing is sent, and that is said.
        bench.broker.kill();
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(asked.str("/id"), "approve").await;
        let failed = bench.until(asked.str("/id"), "failed").await;
        assert!(
            failed["result"]["message"]
                .as_str()
                .unwrap()
                .contains("could not be sent"),
            "{failed}"
        );
        assert_eq!(bench.app.seen().len(), sent);
        bench.stop().await;
    }
}

#[tokio::test]
async fn an_app_that_cannot_be_reached_got_nothing_and_the_door_says_failed() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        bench.app.close().await;
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(asked.str("/id"), "approve").await;
        let failed = bench.until(asked.str("/id"), "failed").await;
        let message = failed["result"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("nothing was sent"), "{failed}");
        bench.stop().await;
    }
}

#[tokio::test]
async fn expired_door_is_denied_and_deleted_agent_has_no_doors() {
    let clock = TestClock::at(roost_platform::clock::SystemClock.now());
    let around = Surroundings {
        clock: Arc::new(clock.clone()),
        ..Surroundings::default()
    };
    let bench = Bench::start_with(around).await;
    let owner = bench.gateway.owner().await;
    let agent = bench.agent().await;
    let gone = bench.agent().await;
    let late = bench.ask(&agent, "github.issues.create", issue()).await;
    let orphan = bench.ask(&gone, "github.issues.create", issue()).await;
    owner
        .delete(&format!("/api/claws/{gone}"))
        .expect(204)
        .await;
    bench.until(orphan.str("/id"), "denied").await;
    clock.advance(Duration::from_secs(24 * 3600 + 1));
    let answer = bench.decide(late.str("/id"), "approve").await;
    assert_ne!(answer.str("/state"), "approved", "it came too late");
    bench.until(late.str("/id"), "expired").await;
    assert!(bench.app.seen().is_empty());
    bench.gateway.stop().await;
}

#[tokio::test]
async fn denial_has_a_reason_and_an_approval_has_none() {
    let bench = Bench::start().await;
    let owner = bench.gateway.owner().await;
    let agent = bench.agent().await;
    let door = bench.ask(&agent, "github.issues.create", issue()).await;
    let path = format!("/api/doors/{}/resolve", door.str("/id"));
    let decided = |body: serde_json::Value| owner.post(&path).json(&body);
    for (decision, reason) in [
        ("approve", "Fine."),
        ("deny", ""),
        ("deny", &"x".repeat(1_001)),
    ] {
        let answer = decided(json!({ "decision": decision, "reason": reason }));
        let refused = answer.expect(400).await;
        assert_eq!(refused.str("/errors/0/pointer"), "/reason", "{refused:?}");
    }
    let why = "There is such an issue already.";
    let answer = decided(json!({ "decision": "deny", "reason": why }))
        .expect(200)
        .await;
    assert_eq!(answer.str("/state"), "denied");
    assert_eq!(answer.str("/result/message"), why);
    let log = owner.get("/api/audit?action=door.denied").expect(200).await;
    assert_eq!(log.str("/items/0/details/reason"), why);
    let again = decided(json!({ "decision": "deny", "reason": "Late." }));
    let again = again.expect(200).await;
    assert_eq!(
        again.str("/result/message"),
        why,
        "the first decision counts"
    );
    assert!(bench.app.seen().is_empty());
    bench.gateway.stop().await;
}
