//! How proposals are made: from which facts, by which model, and what lists show.

use roost_tests::model_server::{ModelServer, answer as http};
use roost_tests::{Gateway, Store};
use serde_json::{Value, json};

use super::{Place, WORK, agent, answer, approval, item, proposed, proposed_at, script, team};
use crate::execution::runs::over;
use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;

#[tokio::test]
async fn without_a_model_a_labelled_script_proposes_from_the_facts_of_runs() {
    for place in Place::on_each(WORK).await {
        let owner = place.owner().await;
        let (team, member) = team(owner).await;
        let run = format!("/api/teams/{team}/run");
        let run = owner
            .post(&run)
            .json(&json!({ "input": "Mend the parser." }));
        let run = run.expect(202).await.str("/id").to_owned();
        assert_eq!(over(owner, &run).await.str("/outcome"), "rejected");
        let of_team = proposed_at(owner, &format!("/api/teams/{team}/level-up")).await;
        let of_agent = proposed(owner, &member).await;
        for (path, subject, id, other) in [
            (&of_team, "team_id", &team, "agent_id"),
            (&of_agent, "agent_id", &member, "team_id"),
        ] {
            let shown = owner.get(path).expect(200).await;
            assert_eq!(shown.body[subject], **id);
            assert_eq!(shown.body[other], Value::Null);
            assert_eq!(shown.str("/status"), "pending");
            assert_eq!(shown.str("/model"), "scripted");
            assert_eq!(shown.str("/workspace_id"), owner.workspace);
            assert_eq!(shown.str("/created_by/id"), owner.id);
            assert_eq!(shown.body["applied_items"], json!([]));
            assert!(
                shown
                    .str("/payload/summary")
                    .contains("a script speaks here, no model")
            );
            assert_eq!(shown.body["payload"]["basis"]["rejected"], 1);
            assert_eq!(shown.body["payload"]["dropped"], json!([]));
            let brain = &shown.body["payload"]["items"][0];
            assert_eq!(brain["kind"], "brain_consolidation", "{shown:?}");
            assert_eq!(brain["evidence"][0]["run_id"], *run);
            assert_eq!(brain["evidence"][0]["outcome"], "rejected");
            assert!(
                brain["after"]
                    .as_str()
                    .unwrap()
                    .contains("Mend the parser.")
            );
        }
        // The same facts give the same items.
        let again = proposed(owner, &member).await;
        let items =
            async |path: &str| owner.get(path).expect(200).await.body["payload"]["items"].clone();
        assert_eq!(items(&again).await, items(&of_agent).await);
        let listed = owner.get("/api/level-up-proposals").expect(200).await;
        let listed = listed.body.as_array().expect("a bare array").clone();
        assert_eq!(listed.len(), 3);
        assert!(
            again.ends_with(listed[0]["id"].as_str().unwrap()),
            "newest first"
        );
        assert_eq!(listed[0]["payload"]["items"][0]["id"], "i1");
        assert_eq!(
            listed[0]["payload"]["items"][0]["after"],
            Value::Null,
            "lists have no texts"
        );
        let of_this = owner.get(&format!("/api/level-up-proposals?team_id={team}"));
        assert_eq!(of_this.expect(200).await.body.as_array().unwrap().len(), 1);
        place.stop().await;
    }
}

#[tokio::test]
async fn an_idempotency_key_makes_one_proposal() {
    for place in Place::on_each(WORK).await {
        let owner = place.owner().await;
        let path = format!("/api/claws/{}/level-up", agent(owner).await);
        let once = || owner.post(&path).header("idempotency-key", "once");
        let first = once().expect(201).await;
        let second = once().expect(201).await;
        assert_eq!(first.str("/proposal_id"), second.str("/proposal_id"));
        let listed = owner.get("/api/level-up-proposals").expect(200).await;
        assert_eq!(listed.body.as_array().unwrap().len(), 1);
        place.stop().await;
    }
}

/// An answer of a model server that speaks OpenAI's dialect.
fn said(text: &str) -> bytes::Bytes {
    let event = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 10 } });
    let body = format!("data: {event}\n\n");
    http(200, &[("content-type", "text/event-stream")], &body)
}

/// A gateway with a broker, whose proposals are made by this model.
async fn with_model(broker: &BrokerProcess, model: &str) -> Gateway {
    let socket = broker.client.socket().display().to_string();
    let set = [
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("sandboxes.local", "off"),
        ("level_up_model", model),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let gateway = Gateway::start_in(folder, &Store::Sqlite, &set, Surroundings::default()).await;
    gateway.expect("the gateway starts")
}

#[tokio::test]
async fn the_operators_model_makes_proposals_within_the_ceiling_and_is_asked_with_the_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let gateway = with_model(&broker, "openai/thinker").await;
    let owner = gateway.owner().await;
    let claw = agent(owner).await;
    let path = format!("/api/claws/{claw}/level-up");
    let refused = owner.post(&path).refused(409, "conflict").await;
    assert!(
        refused.str("/detail").contains("openai/thinker"),
        "{refused:?}"
    );

    let id = claw.clone();
    let server = ModelServer::that(move |_| {
        let change = item(
            "identity_refinement",
            json!({ "agent_id": id, "system_prompt": "You code with care.",
            "evidence": [{ "source": format!("brain:{id}"), "excerpt": "Tests are slow." }] }),
        );
        said(&answer(&[change]))
    })
    .await;
    let model = json!({ "provider": "openai", "model": "thinker", "api_key": "sk-planted",
        "base_url": format!("http://{}/v1", server.address), "price": { "input_microusd": 1_000_000, "output_microusd": 1_000_000 } });
    owner.post("/api/models").json(&model).expect(201).await;
    let proposal = proposed_at(owner, &path).await;
    let shown = owner.get(&proposal).expect(200).await;
    assert_eq!(shown.str("/model"), "openai/thinker");
    assert_eq!(shown.str("/payload/items/0/before"), "You code.");
    assert_eq!(shown.str("/payload/items/0/evidence/0/kind"), "brain");
    assert_eq!(shown.body["payload"]["basis"]["scripted"], false);
    assert_eq!(shown.body["payload"]["basis"]["cost_microusd"], 1010);
    let asked = server.asked();
    let text = asked[0].body.to_string();
    assert!(text.contains("Tests are slow.") && text.contains("You code."));
    assert!(
        text.contains("additionalProperties"),
        "the schema is in the question"
    );

    // The ceiling counts what the first proposal cost, and the most that the next may cost.
    let ceiling = json!({ "run_ceiling_microusd": null, "month_ceiling_microusd": 2_000 });
    owner
        .put("/api/models/settings")
        .json(&ceiling)
        .expect(200)
        .await;
    let refused = owner.post(&path).refused(409, "conflict").await;
    assert!(refused.str("/detail").contains("ceiling"), "{refused:?}");
    assert_eq!(server.asked().len(), 1, "the model is not asked");
    gateway.stop().await;
}

#[tokio::test]
async fn a_model_that_refuses_or_fails_leaves_no_proposal() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let gateway = with_model(&broker, "openai/thinker").await;
    let owner = gateway.owner().await;
    let claw = agent(owner).await;
    let path = format!("/api/claws/{claw}/level-up");
    let mut last: Option<String> = None;
    for (status, answered, code) in [
        (401, 409, "remote-refused"),
        (500, 503, "remote-unavailable"),
    ] {
        let server = ModelServer::always(http(status, &[], "{}")).await;
        let model = json!({ "provider": "openai", "model": "thinker", "api_key": "sk-planted",
            "base_url": format!("http://{}/v1", server.address) });
        if let Some(id) = last.take() {
            owner.delete(&format!("/api/models/{id}")).expect(204).await;
        }
        let made = owner.post("/api/models").json(&model).expect(201).await;
        last = Some(made.str("/id").to_owned());
        owner.post(&path).refused(answered, code).await;
    }
    let listed = owner.get("/api/level-up-proposals").expect(200).await;
    assert_eq!(listed.body, json!([]));
    gateway.stop().await;
}

#[tokio::test]
async fn decided_proposals_are_listed_by_their_status() {
    let skill = item("skill_add", json!({ "skill": "stating-uncertainty" }));
    for place in Place::on_each(&script(&[answer(&[skill])])).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let (first, second) = (proposed(owner, &claw).await, proposed(owner, &claw).await);
        owner
            .post(&format!("{first}/apply"))
            .json(&approval(&["i1"]))
            .expect(200)
            .await;
        owner.post(&format!("{second}/reject")).expect(200).await;
        for (status, path) in [("applied", &first), ("rejected", &second)] {
            let listed = owner.get(&format!("/api/level-up-proposals?status={status}"));
            let listed = listed.expect(200).await;
            let ids = listed.body.as_array().unwrap();
            assert_eq!(ids.len(), 1, "{status}");
            assert!(path.ends_with(ids[0]["id"].as_str().unwrap()));
        }
        let pending = owner.get("/api/level-up-proposals").expect(200).await;
        assert_eq!(pending.body, json!([]));
        owner
            .get("/api/level-up-proposals?status=open")
            .refused(400, "validation")
            .await;
        place.stop().await;
    }
}
