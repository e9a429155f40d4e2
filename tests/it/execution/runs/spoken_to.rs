//! People speak to runs at work, pause and resume them, fork them with changes, and find them in lists.

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Answer, Person, eventually};
use serde_json::{Value, json};

use super::over;
use super::windows::piece;
use crate::connections::repos::Place;

/// Skills that an agent reads in turn until somebody speaks to it.
const SKILLS: [&str; 2] = ["handing-over-work", "stating-uncertainty"];
const WORDS: &str = "Use tabs.";

/// How often the words of the person are in what the model got.
fn heard(asked: &Asked, words: &str) -> usize {
    let messages = asked.body["messages"].as_array().into_iter().flatten();
    let of_user = messages.filter(|message| message["role"] == "user");
    of_user
        .filter(|message| message["content"].to_string().contains(words))
        .count()
}

/// A model that works on until it hears the words of a person, and then ends.
async fn model() -> ModelServer {
    ModelServer::that(|asked| {
        if heard(asked, WORDS) > 0 {
            return piece(json!({ "content": "I use tabs." }), "stop");
        }
        let turn = asked.body["messages"].as_array().map_or(0, Vec::len);
        let arguments = json!({ "name": SKILLS[turn / 2 % 2] }).to_string();
        let call = json!({ "index": 0, "id": format!("c{turn}"), "type": "function",
            "function": { "name": "read_skill", "arguments": arguments } });
        piece(json!({ "tool_calls": [call] }), "tool_calls")
    })
    .await
}

/// A team of two in a line that works with the model; their ids.
async fn team(owner: &Person, server: &ModelServer) -> (String, Vec<String>) {
    let model = json!({ "provider": "openai", "model": "tiny", "api_key": "sk-of-this-test-1234",
        "base_url": format!("http://{}/v1", server.address), "context_tokens": 1_000_000 });
    owner.post("/api/models").json(&model).expect(201).await;
    let roles = json!([{ "slot": "first" }, { "slot": "second" }]);
    let new = json!({ "name": "Line", "topology": "pipeline", "roles": roles, "model_binding": "openai/tiny",
        "mcp_bundles": ["skills"], "risk_profile": "research_readonly" });
    let team = owner.post("/api/teams").json(&new).expect(201).await;
    let agents = team.body["members"].as_array().expect("members");
    let agents = agents.iter().map(|member| {
        let id = member["agent_id"].as_str().expect("an id");
        id.to_owned()
    });
    (team.str("/id").to_owned(), agents.collect())
}

async fn started(owner: &Person, team: &str, goal: &str) -> String {
    let run = owner
        .post(&format!("/api/teams/{team}/run"))
        .json(&json!({ "input": goal }));
    run.expect(202).await.str("/id").to_owned()
}

async fn run(owner: &Person, id: &str) -> Answer {
    owner
        .get(&format!("/api/topology-runs/{id}"))
        .expect(200)
        .await
}

async fn act(owner: &Person, id: &str, what: &str, status: u16) -> Answer {
    let path = format!("/api/topology-runs/{id}/{what}");
    owner.post(&path).expect(status).await
}

/// Waits until the model has been asked more often than this.
async fn asked_more_than(server: &ModelServer, times: usize) {
    eventually("the agents take turns", async || {
        (server.asked().len() > times).then_some(())
    })
    .await;
}

#[tokio::test]
async fn each_agent_hears_a_message_once_and_a_paused_run_asks_no_model() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model().await;
        let (team, _) = team(owner, &server).await;
        let id = started(owner, &team, "Read on.").await;
        asked_more_than(&server, 2).await;

        let paused = act(owner, &id, "pause", 200).await;
        assert!(paused.body["paused_at"].is_string(), "{paused:?}");
        let parked = eventually("the run is paused", async || {
            let run = run(owner, &id).await;
            (run.body["waits_for"]["type"] == "pause").then_some(run)
        })
        .await;
        assert_eq!(parked.str("/waiting_on"), "The run is paused.");
        assert_eq!(parked.str("/paused_by/id"), owner.id);
        let asked = server.asked().len();

        // It hears what is said while it is paused, and asks nobody before it is resumed.
        let path = format!("/api/topology-runs/{id}/messages");
        let said = owner.post(&path).json(&json!({ "text": WORDS }));
        let said = said.expect(201).await;
        assert_eq!(said.body["heard"], json!([]));
        assert_eq!(server.asked().len(), asked);

        act(owner, &id, "resume", 200).await;
        let ended = over(owner, &id).await;
        assert_eq!(ended.str("/status"), "completed", "{ended:?}");
        assert_eq!(ended.body["paused_at"], Value::Null);
        // The first agent hears it in the middle of its work, the second one before its first turn.
        let after = &server.asked()[asked..];
        assert_eq!(after.len(), 2, "{after:?}");
        assert!(after.iter().all(|asked| heard(asked, WORDS) == 1));
        let messages = owner.get(&path).expect(200).await;
        let steps: Vec<&str> = messages.body[0]["heard"]
            .as_array()
            .expect("steps")
            .iter()
            .filter_map(|step| step["step"].as_str())
            .collect();
        assert_eq!(steps, ["first", "second"]);
        assert_eq!(messages.str("/0/by/id"), owner.id);
        let journal = format!("/api/topology-runs/{id}/steps/second/calls");
        let journal = owner.get(&journal).expect(200).await;
        assert_eq!(journal.str("/items/0/kind"), "note");
        assert_eq!(journal.str("/items/0/content/text"), WORDS);

        // After its end nobody can speak to it, pause it or resume it.
        let late = owner.post(&path).json(&json!({ "text": "And spaces." }));
        assert!(late.expect(409).await.str("/detail").contains("has ended"));
        act(owner, &id, "pause", 409).await;
        act(owner, &id, "resume", 409).await;
        place.stop().await;
    }
}

#[tokio::test]
async fn message_to_one_agent_is_heard_by_no_other_and_a_paused_run_can_be_cancelled() {
    let place = Place::start().await;
    let owner = place.gateway.owner().await;
    let server = model().await;
    let (team, agents) = team(owner, &server).await;
    let id = started(owner, &team, "Read on.").await;
    asked_more_than(&server, 1).await;
    let path = format!("/api/topology-runs/{id}/messages");
    let to = json!({ "text": WORDS, "agent_id": agents[0] });
    owner.post(&path).json(&to).expect(201).await;
    // The first one ends, and the second one works on because it heard nothing.
    let second = eventually("the second agent works", async || {
        let run = run(owner, &id).await;
        let second = run.body["steps"].as_array()?.get(1)?.clone();
        (second["status"] == "running" && second["tokens_out"].as_i64()? > 20).then_some(second)
    })
    .await;
    assert_eq!(second["key"], "second");
    act(owner, &id, "pause", 200).await;
    eventually("the run is paused", async || {
        let run = run(owner, &id).await;
        (run.body["waits_for"]["type"] == "pause").then_some(())
    })
    .await;
    act(owner, &id, "cancel", 200).await;
    assert_eq!(over(owner, &id).await.str("/status"), "cancelled");

    for (body, pointer) in [
        (json!({ "text": "" }), "/text"),
        (json!({ "text": "x".repeat(8_001) }), "/text"),
    ] {
        let refused = owner.post(&path).json(&body).expect(400).await;
        assert_eq!(refused.str("/errors/0/pointer"), pointer);
    }
    let stranger = json!({ "text": "x", "agent_id": uuid::Uuid::from_u128(7) });
    let again = started(owner, &team, "Read on.").await;
    let path = format!("/api/topology-runs/{again}/messages");
    let refused = owner.post(&path).json(&stranger).expect(400).await;
    assert_eq!(refused.str("/errors/0/pointer"), "/agent_id");
    act(owner, &again, "cancel", 200).await;
    over(owner, &again).await;
    place.stop().await;
}

#[tokio::test]
async fn run_takes_another_model_and_a_fork_also_another_goal_and_a_message() {
    let place = Place::start().await;
    let owner = place.gateway.owner().await;
    let server = model().await;
    let (team, agents) = team(owner, &server).await;
    let other = json!({ "provider": "openai", "model": "other", "api_key": "sk-of-this-test-1234",
        "base_url": format!("http://{}/v1", server.address) });
    owner.post("/api/models").json(&other).expect(201).await;
    // One run with another model than the team's, and one with a model that nobody added.
    let run = |model: &str| {
        let asked = json!({ "input": WORDS, "model": model });
        owner.post(&format!("/api/teams/{team}/run")).json(&asked)
    };
    let with = run("openai/other").expect(202).await;
    over(owner, with.str("/id")).await;
    let models: Vec<_> = server
        .asked()
        .into_iter()
        .map(|asked| asked.body["model"].clone())
        .collect();
    assert_eq!(models, ["other", "other"]);
    let refused = run("openai/unknown").expect(400).await;
    assert_eq!(refused.str("/errors/0/pointer"), "/model");
    let alone = json!({ "input": WORDS, "model": "openai/unknown" });
    let alone = owner
        .post(&format!("/api/claws/{}/run", agents[0]))
        .json(&alone);
    assert_eq!(alone.expect(400).await.str("/errors/0/pointer"), "/model");

    let id = started(owner, &team, WORDS).await;
    over(owner, &id).await;
    let asked = server.asked().len();
    let changes = json!({ "step": "second", "goal": "Write a poem.", "model": "openai/other", "message": WORDS,
        "instructions": "You rhyme." });
    let fork = owner.post(&format!("/api/topology-runs/{id}/fork"));
    let fork = fork.json(&changes).expect(202).await;
    assert_eq!(fork.str("/title"), "Line: Write a poem.");
    let fork = over(owner, fork.str("/id")).await;
    assert_eq!(fork.str("/status"), "completed", "{fork:?}");
    assert_eq!(fork.str("/input"), "Write a poem.");
    let after = &server.asked()[asked..];
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!(after[0].body["model"], "other");
    assert_eq!(heard(&after[0], "Message from"), 1);
    let told = after[0].body["messages"][0].to_string();
    assert!(told.contains("You rhyme."), "{told}");
    let agent = owner.get(&format!("/api/claws/{}", agents[1])).expect(200);
    assert_ne!(agent.await.body["system_prompt"], "You rhyme.");
    let long = json!({ "step": "second", "instructions": "x".repeat(20_001) });
    let long = owner
        .post(&format!("/api/topology-runs/{id}/fork"))
        .json(&long);
    let refused = long.expect(400).await;
    assert_eq!(refused.str("/errors/0/pointer"), "/instructions");
    // A fork gets what was said to its original, so a fork of the fork hears it too.
    let again = owner.post(&format!("/api/topology-runs/{}/fork", fork.str("/id")));
    let again = again.json(&json!({ "step": "second" })).expect(202).await;
    over(owner, again.str("/id")).await;
    let forks = format!("/api/topology-runs?forked_from={id}");
    let forks = owner.get(&forks).expect(200).await;
    assert_eq!(forks.body["items"][0]["id"], fork.body["id"]);
    assert_eq!(forks.body["items"].as_array().map(Vec::len), Some(1));
    let last = &server.asked()[asked + 1];
    assert_eq!(heard(last, "Message from"), 1);
    let told = last.body["messages"][0].to_string();
    assert!(
        told.contains("You rhyme."),
        "a fork of the fork has them too: {told}"
    );
    place.stop().await;
}

async fn titles(owner: &Person, query: &str) -> Vec<String> {
    let mut titles = Vec::new();
    let mut next = format!("/api/topology-runs?limit=2&{query}");
    loop {
        let page = owner.get(&next).expect(200).await;
        let items = page.body["items"].as_array().expect("items");
        titles.extend(items.iter().map(|run| {
            let title = run["title"].as_str().expect("a title");
            title.trim_start_matches("Line: ").to_owned()
        }));
        match page.body["next_cursor"].as_str() {
            Some(cursor) => next = format!("/api/topology-runs?limit=2&{query}&cursor={cursor}"),
            None => return titles,
        }
    }
}

#[tokio::test]
async fn lists_of_runs_are_filtered_and_sorted_page_by_page() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::that(|asked| {
            let text = match heard(asked, "reject") {
                0 => "It is done.\nTEST_PASS: INT-01",
                _ => "It is not done.\nTEST_FAIL: INT-01",
            };
            piece(json!({ "content": text }), "stop")
        })
        .await;
        let (team, _) = team(owner, &server).await;
        let mut ids = Vec::new();
        for goal in [
            "One apple",
            "Two 100% pears reject",
            "Three APPLES",
            "Four plums",
        ] {
            ids.push(started(owner, &team, goal).await);
            over(owner, ids.last().expect("one")).await;
        }
        let newest = [
            "Four plums",
            "Three APPLES",
            "Two 100% pears reject",
            "One apple",
        ];
        let mut oldest = newest;
        oldest.reverse();
        assert_eq!(titles(owner, "").await, newest);
        assert_eq!(titles(owner, "sort=created_at").await, oldest);
        assert_eq!(titles(owner, "q=apple").await, [newest[1], newest[3]]);
        assert_eq!(titles(owner, "q=100%25%20pears").await, [newest[2]]);
        assert_eq!(titles(owner, "q=1%25").await, Vec::<String>::new());
        assert_eq!(titles(owner, "outcome=rejected").await, [newest[2]]);
        assert_eq!(
            titles(owner, &format!("created_by={}", owner.id)).await,
            newest
        );
        let nobody = format!("created_by={}", uuid::Uuid::from_u128(7));
        assert_eq!(titles(owner, &nobody).await, Vec::<String>::new());
        let third = run(owner, &ids[2]).await;
        let at = third.str("/created_at").replace('+', "%2B");
        assert_eq!(titles(owner, &format!("from={at}")).await, newest[..2]);
        assert_eq!(titles(owner, &format!("until={at}")).await, newest[2..]);
        for order in ["-cost", "-duration"] {
            let mut sorted = titles(owner, &format!("sort={order}")).await;
            sorted.sort();
            let mut all: Vec<String> = newest.map(str::to_owned).to_vec();
            all.sort();
            assert_eq!(sorted, all, "{order}");
        }
        let duration = |run: &Value| {
            let at = |field: &str| {
                let text = run[field].as_str().expect("a time");
                chrono::DateTime::parse_from_rfc3339(text).expect("a time")
            };
            (at("ended_at") - at("started_at")).num_milliseconds()
        };
        let page = owner
            .get("/api/topology-runs?sort=-duration")
            .expect(200)
            .await;
        let took: Vec<i64> = page.body["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(duration)
            .collect();
        assert!(took.is_sorted_by(|a, b| a >= b), "{took:?}");

        let shown = owner.get(&format!("/api/teams/{team}")).expect(200).await;
        assert_eq!(shown.str("/last_run/id"), ids[3]);
        assert_eq!(shown.str("/last_run/status"), "completed");
        for wrong in [
            "sort=title",
            "outcome=good",
            "from=yesterday",
            &format!("from={at}&until={at}"),
        ] {
            owner
                .get(&format!("/api/topology-runs?{wrong}"))
                .expect(400)
                .await;
        }
        place.stop().await;
    }
}
