//! Plans: operators set them, quotas follow at once, and a team that needs more than is left is refused whole.

use roost_tests::{Gateway, Person, ScratchPostgres, Stream};
use serde_json::{Value, json};

const OPERATORS: (&str, &str) = ("operators", r#"["owner@roost.localhost"]"#);

async fn on_each() -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set = [(OPERATORS.0, OPERATORS.1.to_owned())];
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&set, Some(&scratch)).await;
        all.push((gateway, Some(scratch)));
    }
    all
}

async fn over(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

fn path(person: &Person) -> String {
    format!("/api/workspaces/{}", person.workspace)
}

async fn agents(person: &Person) -> usize {
    let list = person.get("/api/claws?limit=200").expect(200).await;
    list.body["items"].as_array().map_or(0, Vec::len)
}

fn crew(agents: usize) -> Value {
    let roles: Vec<Value> = (0..agents)
        .map(|n| json!({ "slot": format!("r{n}") }))
        .collect();
    json!({ "name": "Crew", "topology": "pipeline", "roles": roles })
}

#[tokio::test]
async fn an_operator_sets_a_plan_and_the_next_request_has_its_limits() {
    for (gateway, scratch) in on_each().await {
        let (operator, person) = (gateway.owner().await, gateway.stranger().await);
        let mut events = Stream::open(person.get("/api/events?types=resource.changed")).await;
        let team = person.post("/api/teams").json(&crew(6));
        let refused = team.refused(402, "quota-exceeded").await;
        for (field, value) in [("limit", 5), ("used", 0), ("missing", 1)] {
            assert_eq!(refused.body[field], json!(value), "{}", refused.text);
        }
        assert!(
            refused.str("/detail").contains("1 is missing"),
            "{}",
            refused.text
        );
        assert_eq!(agents(&person).await, 0, "a refused team makes no agent");

        // The operator does not belong to the workspace.
        let set = |plan: &str| {
            operator
                .patch(&path(&person))
                .json(&json!({ "plan": plan }))
        };
        let changed = set("team").expect(200).await;
        assert_eq!(changed.str("/plan"), "team");
        assert_eq!(changed.body.get("role"), None, "{}", changed.text);
        let changed = loop {
            let event = events.next().await.expect("an event");
            if event.data["kind"] == "workspace" {
                break event.data;
            }
        };
        assert_eq!(changed["id"], person.workspace.as_str());
        person.post("/api/teams").json(&crew(6)).expect(201).await;

        // A smaller plan deletes nothing, and refuses more.
        set("free").expect(200).await;
        assert_eq!(agents(&person).await, 6);
        let quota = person.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"], json!({ "used": 6, "limit": 5 }));
        let more = person
            .post("/api/claws")
            .json(&json!({ "name": "One more" }));
        let more = more.refused(402, "quota-exceeded").await;
        assert_eq!(
            (&more.body["used"], &more.body["missing"]),
            (&json!(6), &json!(1))
        );

        let log = person
            .get("/api/audit?action=workspace.plan_set")
            .expect(200)
            .await;
        let entries = log.body["items"].as_array().expect("entries");
        assert_eq!(entries.len(), 2, "{}", log.text);
        assert_eq!(entries[0]["actor"], operator.id.as_str());
        assert_eq!(
            entries[0]["details"],
            json!({ "from": "team", "to": "free" })
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn only_operators_set_plans_and_only_members_rename() {
    for (gateway, scratch) in on_each().await {
        let (operator, person) = (gateway.owner().await, gateway.stranger().await);
        let plan = json!({ "plan": "scale" });
        let own = person.patch(&path(&person)).json(&plan);
        own.refused(403, "forbidden").await;
        let others = person.patch(&path(operator)).json(&plan);
        others.refused(404, "not-found").await;
        let name = json!({ "name": "Mine" });
        let renamed = operator.patch(&path(&person)).json(&name);
        renamed.refused(403, "forbidden").await;
        let unknown = operator.patch("/api/workspaces/0190a000-0000-7000-8000-000000000001");
        unknown.json(&plan).refused(404, "not-found").await;
        let wrong = operator
            .patch(&path(&person))
            .json(&json!({ "plan": "huge" }));
        let wrong = wrong.refused(400, "validation").await;
        assert_eq!(wrong.str("/errors/0/pointer"), "/plan");
        assert!(wrong.text.contains("free, scale, team"), "{}", wrong.text);
        let nothing = operator.patch(&path(&person)).json(&json!({}));
        nothing.refused(400, "validation").await;
        // Both in one request, by somebody who may do both.
        let both = json!({ "name": "Ours", "plan": "team" });
        let both = operator
            .patch(&path(operator))
            .json(&both)
            .expect(200)
            .await;
        assert_eq!((both.str("/name"), both.str("/plan")), ("Ours", "team"));
        let all = operator
            .get("/api/ops/workspaces?name=Ours")
            .expect(200)
            .await;
        assert_eq!(all.body["items"].as_array().map(Vec::len), Some(1));
        assert_eq!(all.str("/items/0/plan"), "team");
        over(gateway, scratch).await;
    }
}
