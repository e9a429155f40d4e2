//! The cost of turns that fail, and of many turns at once; and which models an agent may use while it works.

use std::time::Duration;

use roost_tests::model_server::{ModelServer, answer};
use roost_tests::{Person, eventually};
use serde_json::{Value, json};

use crate::connections::repos::Place;
use crate::execution::runs::over;

/// An answer of these pieces.
fn said(pieces: &[Value]) -> bytes::Bytes {
    let body: String = pieces
        .iter()
        .map(|piece| format!("data: {piece}\n\n"))
        .collect();
    answer(200, &[("content-type", "text/event-stream")], &body)
}

fn ended(content: &str, tokens: u64) -> bytes::Bytes {
    said(&[
        json!({ "choices": [{ "delta": { "content": content }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": tokens } }),
    ])
}

/// The server as the workspace's model: a millionth of a dollar for each word that it says.
async fn model_at(owner: &Person, server: &ModelServer) {
    let model = json!({ "provider": "openai", "model": "tiny", "api_key": super::KEY, "base_url": format!("http://{}/v1", server.address),
        "price": { "input_microusd": 0, "output_microusd": 1_000_000 } });
    owner.post("/api/models").json(&model).expect(201).await;
}

async fn team_of(owner: &Person, kind: &str, slots: usize) -> String {
    let roles: Vec<Value> = (0..slots)
        .map(|n| json!({ "slot": format!("s{n}") }))
        .collect();
    let new = json!({ "name": "Spenders", "topology": kind, "roles": roles,
        "model_binding": "openai/tiny", "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox", "skills"] });
    let team = owner.post("/api/teams").json(&new).expect(201).await;
    team.str("/id").to_owned()
}

async fn begun(owner: &Person, team: &str, more: Value) -> String {
    let mut asked = json!({ "input": "Say something." });
    if let (Some(asked), Some(more)) = (asked.as_object_mut(), more.as_object()) {
        asked.extend(more.clone());
    }
    let run = owner.post(&format!("/api/teams/{team}/run")).json(&asked);
    run.expect(202).await.str("/id").to_owned()
}

#[tokio::test]
async fn many_turns_at_once_keep_a_ceiling_as_one_after_the_other() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::always(ended("All of you: go.", 10_000)).await;
        model_at(owner, &server).await;
        let team = team_of(owner, "hub_spoke", 9).await;
        let run = begun(owner, &team, json!({ "cost_ceiling_microusd": 15_000 })).await;
        let run = over(owner, &run).await;
        assert_eq!(run.str("/error_code"), "cost-ceiling-reached", "{run:?}");
        // The hub's turn, and the one that crosses the ceiling.
        assert_eq!(server.asked().len(), 2);
        assert_eq!(run.body["cost_microusd"], 20_000);
        place.stop().await;
    }
}

#[tokio::test]
async fn many_turns_at_once_keep_a_limit_of_turns_as_one_after_the_other() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::always(ended("All of you: go.", 1)).await;
        model_at(owner, &server).await;
        let team = team_of(owner, "hub_spoke", 9).await;
        let run = begun(owner, &team, json!({ "limits": { "turns": 3 } })).await;
        let run = over(owner, &run).await;
        assert_eq!(run.str("/error_code"), "turn-limit-reached", "{run:?}");
        assert!(run.str("/error").contains("the 3 turns"), "{run:?}");
        // The hub's turn, and two of its spokes'.
        assert_eq!(server.asked().len(), 3);
        assert_eq!(run.body["turns"], 3);
        let run = begun(owner, &team, json!({ "limits": { "turns": 50 } })).await;
        let run = over(owner, &run).await;
        assert_eq!(run.str("/status"), "completed", "{run:?}");
        place.stop().await;
    }
}

#[tokio::test]
async fn a_turn_that_breaks_off_or_says_nothing_is_counted_and_asked_again() {
    let broken = json!({ "choices": [{ "delta": { "content": "Once upon a time there was" } }] });
    for (what, answer) in [("broken", said(&[broken])), ("empty", ended("", 7))] {
        for place in Place::start_on_each().await {
            let owner = place.gateway.owner().await;
            let server = ModelServer::always(answer.clone()).await;
            model_at(owner, &server).await;
            let team = team_of(owner, "single", 1).await;
            let run = begun(owner, &team, json!({})).await;
            let path = format!("/api/topology-runs/{run}");
            let after = eventually("it is asked again", async || {
                (server.asked().len() >= 2).then_some(())?;
                let run = owner.get(&path).expect(200).await;
                (run.body["cost_microusd"].as_i64()? > 7).then_some(run)
            })
            .await;
            let step = &after.body["steps"][0];
            assert!(step["attempt"].as_i64().unwrap() >= 2, "{what}: {step}");
            assert_eq!(step["cost_microusd"], after.body["cost_microusd"]);
            owner.post(&format!("{path}/cancel")).expect(200).await;
            over(owner, &run).await;
            place.stop().await;
        }
    }
}

#[tokio::test]
async fn numbers_without_measure_stop_neither_the_run_nor_the_figures_of_others() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::always(ended("Here\u{0} you are.", u64::MAX)).await;
        model_at(owner, &server).await;
        let team = team_of(owner, "pipeline", 3).await;
        let run = begun(owner, &team, json!({})).await;
        let run = over(owner, &run).await;
        assert_eq!(run.str("/status"), "completed", "{run:?}");
        assert_eq!(run.str("/steps/0/output"), "Here you are.");
        let month = json!({ "run_ceiling_microusd": null, "month_ceiling_microusd": 1_000 });
        let set = owner.put("/api/models/settings").json(&month);
        set.expect(200).await;
        let run = over(owner, &begun(owner, &team, json!({})).await).await;
        assert_eq!(run.str("/error_code"), "cost-ceiling-reached", "{run:?}");
        place.stop().await;
    }
}

#[tokio::test]
async fn agents_permissions_are_read_at_each_turn() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        // Each turn asks for another skill, so that nobody takes it for a loop before the change is seen.
        let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "list_skills", "arguments": "{}" } }] });
        let asks =
            said(&[json!({ "choices": [{ "delta": call, "finish_reason": "tool_calls" }] })]);
        let server = ModelServer::slowly(asks, Duration::from_millis(400)).await;
        model_at(owner, &server).await;
        let team = team_of(owner, "single", 1).await;
        let run = begun(owner, &team, json!({})).await;
        let offers = |n: usize| {
            let asked = server.asked();
            let tools = asked.get(n)?.body["tools"].as_array()?.clone();
            let name = |tool: &Value| tool["function"]["name"].as_str().map(str::to_owned);
            Some(tools.iter().filter_map(name).collect::<Vec<String>>())
        };
        let first = eventually("the model is asked", async || offers(0)).await;
        assert!(first.contains(&"shell".to_owned()), "{first:?}");
        let change = json!({ "risk_profile": "toolfree" });
        let path = format!("/api/teams/{team}/runtime-config");
        owner.patch(&path).json(&change).expect(200).await;
        let second = eventually("it is asked again", async || offers(1)).await;
        assert!(!second.contains(&"shell".to_owned()), "{second:?}");
        let cancel = owner.post(&format!("/api/topology-runs/{run}/cancel"));
        cancel.expect(200).await;
        over(owner, &run).await;
        place.stop().await;
    }
}
