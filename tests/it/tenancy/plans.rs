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

#[tokio::test]
async fn operator_changes_the_limits_of_a_plan_and_the_next_request_has_them() {
    for (gateway, scratch) in on_each().await {
        let (operator, person) = (gateway.owner().await, gateway.stranger().await);
        let free = async || {
            let list = operator.get("/api/ops/plans").expect(200).await;
            list.body["items"][0].clone()
        };
        let limits = |agents: u64, version: i64| json!({ "name": "free", "agents": agents, "live_containers": 2, "workspaces": 5, "version": version });
        assert_eq!(free().await, limits(5, 0));
        let set = |agents: u64| {
            let new = json!({ "agents": agents, "live_containers": 2, "workspaces": 5 });
            operator.put("/api/ops/plans/free").json(&new)
        };
        person
            .post("/api/teams")
            .json(&crew(6))
            .refused(402, "quota-exceeded")
            .await;
        let changed = set(7).header("if-match", "\"0\"").expect(200).await;
        assert_eq!(changed.body, limits(7, 1));
        assert_eq!(free().await, limits(7, 1));
        person.post("/api/teams").json(&crew(6)).expect(201).await;
        let quota = person.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"], json!({ "used": 6, "limit": 7 }));

        // A change of another version is refused, and the same limits again are no change.
        set(9)
            .header("if-match", "0")
            .refused(412, "precondition-failed")
            .await;
        assert_eq!(set(7).expect(200).await.body, limits(7, 1));
        let (one, other) = tokio::join!(
            set(8).header("if-match", "1").send(),
            set(9).header("if-match", "1").send()
        );
        let mut both = [one.status, other.status];
        both.sort_unstable();
        assert_eq!(both, [200, 412], "{} {}", one.text, other.text);
        // Smaller limits delete nothing, and refuse more.
        set(2).expect(200).await;
        assert_eq!(agents(&person).await, 6);
        let more = person.post("/api/claws").json(&json!({ "name": "more" }));
        more.refused(402, "quota-exceeded").await;

        let audit = operator.get("/api/audit?action=plan.*").expect(200).await;
        let entries = audit.body["items"].as_array().expect("entries");
        assert_eq!(entries.len(), 3, "{}", audit.text);
        assert_eq!(entries[2]["details"]["from"]["agents"], 5);
        assert_eq!(entries[2]["details"]["to"]["agents"], 7);
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn limits_of_unknown_plans_and_mistyped_numbers_are_refused() {
    let gateway = Gateway::start_with(&[OPERATORS]).await;
    let operator = gateway.owner().await;
    let good = json!({ "agents": 5, "live_containers": 2, "workspaces": 5 });
    let unknown = operator.put("/api/ops/plans/golden").json(&good);
    unknown.refused(404, "not-found").await;
    for (field, value) in [
        ("agents", json!(1_000_001)),
        ("workspaces", json!(0)),
        ("live_containers", json!(-1)),
        ("people", json!(5)),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value;
        let request = operator.put("/api/ops/plans/free").json(&wrong);
        request.refused(400, "validation").await;
    }
    let person = gateway.person("owner").await;
    let request = person.put("/api/ops/plans/free").json(&good);
    request.refused(403, "forbidden").await;
    gateway.stop().await;
}
