//! Teams from templates with the scripted model: creation, storage, permissions, end.

use roost_platform::events::WorldNodeId;
use roost_tests::{Gateway, Stream, eventually};
use serde_json::{Value, json};

use crate::execution::runs::crew::Crew;
use crate::execution::runs::{line_of, over, started, steps};

async fn template(owner: &roost_tests::Person, key: &str) -> String {
    let list = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = list.body["items"].as_array().cloned().unwrap_or_default();
    let found = items.iter().find(|template| template["key"] == key);
    let id = found.and_then(|template| template["id"].as_str());
    id.expect("a built-in template").to_owned()
}

#[tokio::test]
async fn a_team_of_a_template_is_made_whole_and_its_agents_know_their_trade() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let new = json!({ "name": "Ledger", "template_id": template(owner, "rust_sdlc").await });
        let team = owner
            .post("/api/teams")
            .header("idempotency-key", "k1")
            .json(&new)
            .expect(201)
            .await;
        let again = owner
            .post("/api/teams")
            .header("idempotency-key", "k1")
            .json(&new)
            .expect(201)
            .await;
        assert_eq!(team.body["id"], again.body["id"]);
        let slots: Vec<&str> = team.body["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["slot"].as_str().unwrap())
            .collect();
        assert_eq!(
            slots,
            ["planner", "coder", "tester", "reviewer", "committer"]
        );
        assert_eq!(team.body["risk_profile"], Value::Null);
        assert_eq!(team.body["effective_profile"], "coding_readwrite");
        assert_eq!(team.body["topology"]["kind"], "pipeline");
        let agent = team.str("/members/1/agent_id").to_owned();
        assert_eq!(
            team.body["topology"]["nodes"][1]["attributes"]["agent"],
            agent.as_str()
        );
        // The runtime's own record holds neither files nor commands; what a step may use is decided at each call.
        let config = owner
            .get(&format!("/api/claws/{agent}/runtime-config"))
            .expect(200)
            .await;
        assert_eq!(config.body["record_profile"], "toolfree");
        assert_eq!(config.body["record_bundles"], json!(["door"]));
        assert_eq!(config.body["role_slot"], "coder");
        assert_eq!(config.body["model"], "scripted");
        let tools: Vec<&str> = config.body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["name"].as_str().unwrap())
            .collect();
        assert!(
            tools.contains(&"write_file") && tools.contains(&"commit"),
            "{tools:?}"
        );
        let anatomy = owner
            .get(&format!("/api/claws/{agent}/compartments"))
            .expect(200)
            .await;
        assert!(anatomy.body["identity"]["prompt_words"].as_u64().unwrap() >= 400);
        assert!(anatomy.body["memory"]["version"].as_i64().unwrap() >= 1);
        assert!(
            anatomy.body["skills"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|s| s["pinned"] == true)
                .count()
                >= 4
        );
        assert_eq!(anatomy.body["seats"][0]["team_name"], "Ledger");
        let path = format!("/api/teams/{}/runtime-config", team.str("/id"));
        let narrow = owner
            .patch(&path)
            .json(&json!({ "risk_profile": "research_readonly" }))
            .expect(200)
            .await;
        assert_eq!(narrow.body["effective_profile"], "research_readonly");
        let config = owner
            .get(&format!("/api/claws/{agent}/runtime-config"))
            .expect(200)
            .await;
        let tools: Vec<&str> = config.body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["name"].as_str().unwrap())
            .collect();
        assert!(
            !tools.contains(&"write_file")
                && !tools.contains(&"shell")
                && tools.contains(&"read_file"),
            "{tools:?}"
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_team_that_does_not_fit_is_refused_whole_with_the_place_of_each_mistake() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    for (new, pointer) in [
        (json!({ "name": "x" }), "/roles"),
        (
            json!({ "name": "x", "roles": [{ "slot": "a" }, { "slot": "a" }] }),
            "/roles/1/slot",
        ),
        (
            json!({ "name": "x", "roles": [{ "slot": "A B" }] }),
            "/roles/0/slot",
        ),
        (
            json!({ "name": "x", "topology": "star_moe", "roles": [{ "slot": "a" }] }),
            "/roles",
        ),
        (
            json!({ "name": "x", "model_binding": "openai/nope", "roles": [{ "slot": "a", "model_binding": "nope" }] }),
            "/roles/0/model_binding",
        ),
        (
            json!({ "name": "x", "roles": [{ "slot": "a" }, { "slot": "b" }], "graph": { "kind": "pipeline", "nodes": [{ "id": "a" },
                { "id": "b" }, { "id": "c", "kind": "team", "attributes": { "team": "0190a000-0000-7000-8000-000000000009" } }],
                "edges": [{ "from": "a", "to": "b", "kind": "flow" }, { "from": "b", "to": "c", "kind": "flow" }] } }),
            "/graph/nodes/2/attributes",
        ),
        (
            json!({ "name": "x", "roles": [{ "slot": "a", "agent_id": "0190a000-0000-7000-8000-000000000009" }] }),
            "/roles/0/agent_id",
        ),
    ] {
        let refused = owner
            .post("/api/teams")
            .json(&new)
            .refused(400, "validation")
            .await;
        let pointers: Vec<&str> = refused.body["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["pointer"].as_str().unwrap())
            .collect();
        assert!(pointers.contains(&pointer), "{new} {pointers:?}");
    }
    let nodes: Vec<Value> = (0..10_000)
        .map(|n| json!({ "id": format!("n{n}") }))
        .collect();
    let huge = json!({ "name": "x", "roles": [{ "slot": "a" }], "graph": { "kind": "pipeline", "nodes": nodes } });
    owner
        .post("/api/teams")
        .json(&huge)
        .refused(400, "validation")
        .await;
    let cycle = json!({ "name": "x", "roles": [{ "slot": "a" }, { "slot": "b" }], "graph": { "kind": "pipeline",
        "nodes": [{ "id": "a" }, { "id": "b" }], "edges": [{ "from": "a", "to": "b", "kind": "flow" }, { "from": "b", "to": "a", "kind": "flow" }] } });
    owner
        .post("/api/teams")
        .json(&cycle)
        .refused(400, "validation")
        .await;
    let claws = owner.get("/api/claws").expect(200).await;
    assert_eq!(claws.body["items"], json!([]), "nothing was half made");
    gateway.stop().await;
}

#[tokio::test]
async fn run_events_have_exactly_the_specified_fields_live_and_replayed() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let team = line_of(owner, &["writer", "editor"]).await;
    let id = started(owner, &team).await;
    let run = over(owner, &id).await;
    assert_eq!(run.body["status"], "completed", "{run:?}");
    assert_eq!(steps(&run), ["writer done", "editor done"]);
    assert!(
        run.str("/result/text").starts_with("[demonstration"),
        "{run:?}"
    );
    // Where the agents' shells would be; the same in every life of the run.
    assert_eq!(run.body["multiplexer_workspace_id"], "roost");
    let tab = format!("run-{}", id.replace('-', ""));
    assert_eq!(run.str("/multiplexer_tab_id"), tab);
    assert!(run.str("/multiplexer_pane_id").starts_with("agent-"));
    // The stream checks each event against its schema.
    let mut stream = Stream::open(owner.get(&format!("/api/topology-runs/{id}/events"))).await;
    let mut kinds = std::collections::BTreeSet::new();
    let mut seen = Vec::new();
    while ![
        "agent.reasoning.delta",
        "agent.task.update",
        "agent.tool.call",
        "world.touch",
        "topology.update",
        "resource.changed",
    ]
    .iter()
    .all(|kind| kinds.contains(*kind))
    {
        let event = stream.next().await.expect("more events of the run");
        assert_eq!(event.about["run"], json!(id), "{event:?}");
        kinds.insert(event.kind.clone());
        seen.push(event);
    }
    shows_the_run(&seen, &team);
    // The stream of the workspace with a filter has the same events.
    let filtered = format!("/api/events?from=oldest&run_id={id}");
    let mut filtered = Stream::open(owner.get(&filtered)).await;
    let same = filtered.take(seen.len()).await;
    let ids = |events: &[roost_tests::Event]| -> Vec<_> {
        events.iter().map(|event| event.id.clone()).collect()
    };
    assert_eq!(ids(&same), ids(&seen));
    let calls = owner
        .get(&format!("/api/topology-runs/{id}/calls"))
        .expect(200)
        .await;
    let calls = calls.body["items"].as_array().unwrap().clone();
    assert!(
        calls
            .iter()
            .any(|call| call["kind"] == "model" && call["name"] == "scripted")
    );
    // A tool that the profile does not offer is answered, and the agent goes on.
    let refused = calls
        .iter()
        .find(|call| call["kind"] == "tool")
        .expect("the script asked for one");
    assert_eq!(refused["failed"], true);
    assert!(
        refused["content"]["text"]
            .as_str()
            .unwrap()
            .contains("not offered"),
        "{refused}"
    );
    gateway.stop().await;
}

/// The world view and the tasks of a pipeline's run of `writer` and `editor`.
fn shows_the_run(events: &[roost_tests::Event], team: &Value) {
    let of = |kind: &str| events.iter().find(|event| event.kind == kind).expect(kind);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let shown = &of("topology.update").data;
    assert_eq!(shown["formation"], "live");
    let ids: Vec<String> = shown["nodes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|node| text(&node["id"]))
        .collect();
    assert_eq!(ids[0], format!("team:{}", text(&team["id"])));
    assert!(
        ids.len() == 3 && ids[1..].iter().all(|id| id.starts_with("agent:")),
        "{ids:?}"
    );
    assert_eq!(shown["edges"][0]["from"], json!(ids[1]));
    let first = of("agent.task.update");
    assert_eq!(
        first.data["steps"],
        json!([{ "label": "writer", "state": "active" }, { "label": "editor", "state": "pending" }])
    );
    for touch in events.iter().filter(|event| event.kind == "world.touch") {
        let node: WorldNodeId = text(&touch.data["nodeId"])
            .parse()
            .expect("a node of the world");
        assert!(
            matches!(node, WorldNodeId::Service(_) | WorldNodeId::Event(_)),
            "{node}"
        );
    }
}

#[tokio::test]
async fn topology_of_a_team_is_shown_when_it_is_made_and_when_it_changes() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let path = "/api/events?from=oldest&types=topology.update";
    let mut stream = Stream::open(owner.get("/api/events?types=topology.update")).await;
    let new = json!({ "name": "Ring", "topology": "hub_spoke", "roles": [{ "slot": "hub" }, { "slot": "a" }] });
    let team = owner.post("/api/teams").json(&new).expect(201).await.body;
    let made = stream.next().await.unwrap().data;
    assert_eq!(made["formation"], "hierarchy");
    let root = format!("team:{}", team["id"].as_str().unwrap());
    assert_eq!(
        (&made["nodes"][0]["id"], &made["nodes"][0]["label"]),
        (&json!(root), &json!("Ring"))
    );
    assert_eq!(made["nodes"][1]["parentId"], json!(root));
    assert_eq!(made["edges"][0]["kind"], "parent");
    let path_of = format!("/api/teams/{}", team["id"].as_str().unwrap());
    // A description does not change the structure.
    let described = json!({ "description": "x" });
    owner.patch(&path_of).json(&described).expect(200).await;
    let mut line = team["topology"].clone();
    line["kind"] = json!("pipeline");
    line["edges"][0]["kind"] = json!("flow");
    for node in line["nodes"].as_array_mut().unwrap() {
        node["seat"].take();
    }
    let changed = json!({ "topology": line });
    owner.patch(&path_of).json(&changed).expect(200).await;
    let changed = stream.next().await.unwrap().data;
    assert_eq!(changed["formation"], "flat");
    assert_eq!(changed["nodes"].as_array().unwrap().len(), 3);
    let all = Stream::open(owner.get(path)).await.take(2).await;
    assert_eq!(all[1].data, changed, "these two and no others");
    gateway.stop().await;
}

#[tokio::test]
async fn an_ephemeral_team_goes_with_its_agents_after_its_last_run() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let new = json!({ "name": "Brief", "lifecycle": "ephemeral", "topology": "single", "roles": [{ "slot": "one" }] });
        let team = owner.post("/api/teams").json(&new).expect(201).await;
        let run = over(owner, &started(owner, &team.body).await).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        let path = format!("/api/teams/{}", team.str("/id"));
        eventually("the team is gone", async || {
            let list = owner.get("/api/teams").expect(200).await;
            list.body["items"]
                .as_array()
                .unwrap()
                .is_empty()
                .then_some(())
        })
        .await;
        owner.get(&path).refused(404, "not-found").await;
        let claws = owner
            .get("/api/claws?include_deleted=true")
            .expect(200)
            .await;
        assert_eq!(claws.body["items"], json!([]));
        let quota = owner.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["agents"]["used"], 0);
        // Its run stays, with what it came to.
        assert_eq!(
            over(owner, run.str("/id")).await.body["status"],
            "completed"
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

/// A team of one, which goes after its last run.
async fn brief(owner: &roost_tests::Person, role: Value) -> Value {
    let new = json!({ "name": "Brief", "lifecycle": "ephemeral", "topology": "pipeline", "roles": [{ "slot": "one" }, role] });
    owner.post("/api/teams").json(&new).expect(201).await.body
}

async fn is_gone(owner: &roost_tests::Person, team: &Value) {
    let path = format!("/api/teams/{}", team["id"].as_str().expect("an id"));
    eventually("the team is gone", async || {
        let answer = owner.get(&path).send().await;
        (answer.status == 404).then_some(())
    })
    .await;
}

#[tokio::test]
async fn only_agents_created_for_a_team_are_deleted_with_it() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let home = line_of(owner, &["resident"]).await;
        let resident = home["members"][0]["agent_id"].clone();
        let new = json!({ "name": "Freelance" });
        let freelance = owner.post("/api/claws").json(&new).expect(201).await;
        for guest in [resident.clone(), freelance.body["id"].clone()] {
            let team = brief(owner, json!({ "slot": "guest", "agent_id": guest })).await;
            let minted = team["members"][0]["agent_id"].as_str().unwrap().to_owned();
            over(owner, &started(owner, &team).await).await;
            is_gone(owner, &team).await;
            let guest = guest.as_str().unwrap();
            owner.get(&format!("/api/claws/{guest}")).expect(200).await;
            let gone = owner.get(&format!("/api/claws/{minted}"));
            gone.refused(404, "not-found").await;
        }
        let path = format!("/api/teams/{}", home["id"].as_str().unwrap());
        let still = owner.get(&path).expect(200).await;
        assert_eq!(still.body["members"][0]["agent_id"], resident);
        // Purging is the admin's, by whichever door.
        let member = gateway.person("member").await;
        let purge = member.delete(&format!("{path}?with_agents=true"));
        purge.refused(403, "forbidden").await;
        member.delete(&path).expect(204).await;
        let resident = resident.as_str().unwrap();
        owner
            .get(&format!("/api/claws/{resident}"))
            .expect(200)
            .await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn an_ephemeral_team_goes_also_when_its_last_run_is_cancelled_in_the_queue() {
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.with(&[("runs.at_once", "1")]).await {
        let owner = gateway.owner().await;
        let busy = line_of(owner, &["endless"]).await;
        let at_work = started(owner, &busy).await;
        let path = format!("/api/topology-runs/{at_work}");
        eventually("the gateway has its one run", async || {
            let run = owner.get(&path).expect(200).await;
            (run.body["status"] == "running").then_some(())
        })
        .await;
        let team = brief(owner, json!({ "slot": "two" })).await;
        let run = started(owner, &team).await;
        let cancel = owner.post(&format!("/api/topology-runs/{run}/cancel"));
        let cancelled = cancel.expect(200).await;
        assert_eq!(cancelled.body["status"], "cancelled");
        is_gone(owner, &team).await;
        owner.post(&format!("{path}/cancel")).expect(200).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
