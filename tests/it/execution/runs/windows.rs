//! Conversations that outgrow their model's window, large results, and what the journal shows of a finished step.

use roost_tests::model_server::{Asked, ModelServer, answer};
use roost_tests::{Answer, Gateway, Person};
use serde_json::{Value, json};

use super::over;
use crate::connections::repos::Place;

const KEY: &str = "sk-of-this-test-1234";

/// Skills with texts of several kilobytes. Each agent here has them.
const SKILLS: [&str; 2] = ["handing-over-work", "stating-uncertainty"];

async fn agent(owner: &Person, model: &str, more: Value) -> String {
    let new = json!({ "name": "Ada", "model_binding": model });
    let made = owner.post("/api/claws").json(&new).expect(201).await;
    let id = made.str("/id").to_owned();
    let path = format!("/api/claws/{id}/runtime-config");
    owner.patch(&path).json(&more).expect(200).await;
    let all = owner.get("/api/skills?limit=200").expect(200).await;
    let all = all.body["items"].as_array().expect("skills").clone();
    for skill in all.iter().filter(|skill| {
        SKILLS
            .iter()
            .any(|name| skill["name"].as_str() == Some(name))
    }) {
        let skill = skill["id"].as_str().expect("an id");
        owner
            .put(&format!("/api/claws/{id}/skills/{skill}"))
            .json(&json!({ "include": true }))
            .expect(204)
            .await;
    }
    id
}

async fn worked(owner: &Person, agent: &str) -> Answer {
    let asked = json!({ "input": "Read on until the end." });
    let run = owner.post(&format!("/api/claws/{agent}/run")).json(&asked);
    over(owner, run.expect(202).await.str("/id")).await
}

/// The journal of the run's only step, read in pages.
async fn journal(owner: &Person, run: &Answer) -> Vec<Value> {
    let step = run.str("/steps/0/key");
    let path = format!(
        "/api/topology-runs/{}/steps/{step}/calls?limit=7",
        run.str("/id")
    );
    let mut entries = Vec::new();
    let mut next = path.clone();
    loop {
        let page = owner.get(&next).expect(200).await.body;
        entries.extend(page["items"].as_array().expect("entries").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("{path}&cursor={cursor}"),
            None => return entries,
        }
    }
}

fn of_kind<'a>(journal: &'a [Value], kind: &str) -> Vec<&'a Value> {
    journal
        .iter()
        .filter(|entry| entry["kind"] == kind)
        .collect()
}

/// A script with a small window that reads a long text in each of twelve turns.
fn long_script() -> String {
    let mut script = "window = 9000\n[[scene]]\nslot = \"agent\"\n".to_owned();
    for turn in 0..12 {
        let skill = SKILLS[turn % 2];
        script.push_str(&format!(
            "[[scene.turn]]\nthink = \"I wonder about {turn}.\"\nsay = \"I read {turn}.\"\n\
             calls = [{{ tool = \"read_skill\", arguments = {{ name = \"{skill}\" }} }}]\n"
        ));
    }
    script + "[[scene.turn]]\nsay = \"I have read all of it.\"\n"
}

#[tokio::test]
async fn conversation_that_outgrows_its_window_is_summarised_and_goes_on_at_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, long_script()).expect("written");
    let set = [
        ("runs.script", script.to_str().expect("a path")),
        ("sandboxes.local", "off"),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let ada = agent(owner, "scripted", json!({ "mcp_bundles": ["skills"] })).await;
    let run = worked(owner, &ada).await;
    assert_eq!(run.str("/status"), "completed", "{run:?}");
    assert!(
        run.str("/result/text").contains("I have read all of it."),
        "{run:?}"
    );

    let journal = journal(owner, &run).await;
    let turns = of_kind(&journal, "model");
    // No turn is lost or repeated by a summary.
    let said: Vec<String> = turns
        .iter()
        .map(|turn| {
            turn["content"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    assert_eq!(said.len(), 13, "{said:?}");
    for (at, said) in said.iter().take(12).enumerate() {
        assert!(said.ends_with(&format!("I read {at}.")), "{said}");
    }
    let thought = turns[3]["content"]["thought"].as_str().unwrap_or_default();
    assert!(thought.ends_with("I wonder about 3."), "{thought}");
    let notes = of_kind(&journal, "note");
    let first = of_kind(&journal, "tool").first().copied();
    assert!((1..=6).contains(&notes.len()), "{notes:?}, {first:?}");
    for note in &notes {
        assert_eq!(note["content"]["compaction"]["summarised"], true, "{note}");
        assert!(
            note["content"]["compaction"]["before"]
                .as_u64()
                .expect("a place")
                > 0
        );
        assert!(note["tokens_in"].as_i64().expect("tokens") > 0, "{note}");
    }
    // Summaries count.
    let tokens: i64 = journal
        .iter()
        .filter_map(|entry| entry["tokens_in"].as_i64())
        .sum();
    assert_eq!(run.body["tokens_in"], tokens);
    gateway.stop().await;
}

/// A piece of an OpenAI stream, and its end.
pub(crate) fn piece(delta: Value, finish: &str) -> bytes::Bytes {
    let pieces = [
        json!({ "choices": [{ "index": 0, "delta": delta }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10 } }),
    ];
    let body: String = pieces
        .iter()
        .map(|piece| format!("data: {piece}\n\n"))
        .collect();
    answer(
        200,
        &[("content-type", "text/event-stream")],
        &(body + "data: [DONE]\n\n"),
    )
}

fn results(asked: &Asked) -> usize {
    let messages = asked.body["messages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .count()
}

fn wants_a_summary(asked: &Asked) -> bool {
    let last = asked.body["messages"]
        .as_array()
        .and_then(|messages| messages.last());
    last.is_some_and(|last| last.to_string().contains("Summarise it now"))
}

#[tokio::test]
async fn model_that_gives_no_summary_works_on_with_older_results_cut() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let turns = AtomicUsize::new(0);
        let server = ModelServer::that(move |asked| {
            if wants_a_summary(asked) {
                return piece(
                    json!({ "content": "I would rather not." }),
                    "content_filter",
                );
            }
            let turn = turns.fetch_add(1, Ordering::SeqCst);
            if turn == 20 {
                return piece(json!({ "content": "All is read." }), "stop");
            }
            let arguments = json!({ "name": SKILLS[turn % 2] }).to_string();
            let call = json!({ "index": 0, "id": format!("c{turn}"), "type": "function",
                "function": { "name": "read_skill", "arguments": arguments } });
            piece(json!({ "tool_calls": [call] }), "tool_calls")
        })
        .await;
        let model = json!({ "provider": "openai", "model": "tiny", "api_key": KEY, "context_tokens": 9_000,
            "base_url": format!("http://{}/v1", server.address), "price": { "input_microusd": 1_000_000, "output_microusd": 0 } });
        let model = owner.post("/api/models").json(&model).expect(201).await;
        assert_eq!(model.body["window_tokens"], 9_000);
        let ada = agent(owner, "openai/tiny", json!({ "mcp_bundles": ["skills"] })).await;
        let run = worked(owner, &ada).await;
        assert_eq!(run.str("/status"), "completed", "{run:?}");
        assert_eq!(run.str("/result/text"), "All is read.");
        let journal = journal(owner, &run).await;
        assert_eq!(of_kind(&journal, "model").len(), 21);
        let notes = of_kind(&journal, "note");
        // Not once a turn.
        assert!((1..=3).contains(&notes.len()), "{notes:?}");
        assert!(
            notes
                .iter()
                .all(|note| note["content"]["compaction"]["summarised"] == false)
        );
        // Each attempt costs what it costs.
        assert_eq!(run.body["cost_microusd"], 100 * (21 + notes.len()));
        let asked = server.asked();
        let largest = asked
            .iter()
            .map(|asked| asked.body["messages"].to_string().len())
            .max();
        assert!(largest < Some(9_000 * 3), "{largest:?}");
        assert!(asked.iter().map(results).max() > Some(2));
        place.stop().await;
    }
}

#[tokio::test]
async fn runaway_guard_ends_a_step_and_names_what_to_raise() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, long_script()).expect("written");
    let set = [
        ("runs.script", script.to_str().expect("a path")),
        ("sandboxes.local", "off"),
        ("runs.max_turns", "5"),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let ada = agent(owner, "scripted", json!({ "mcp_bundles": ["skills"] })).await;
    let run = worked(owner, &ada).await;
    assert_eq!(run.str("/status"), "failed", "{run:?}");
    assert!(run.str("/error").contains("`runs.max_turns`"), "{run:?}");
    gateway.stop().await;
}

/// An agent that prints fifty megabytes, of which a sandbox streams sixteen MiB, reads on in the result, and says what
/// it saw.
const LARGE: &str = r#"
[[scene]]
slot = "agent"
  [[scene.turn]]
  say = "I print."
  calls = [{ tool = "shell", arguments = { command = "seq 1 9999999 | head -c 50000000" } }]
  [[scene.turn]]
  when = '(?s)left out here; read_result with call (?<call>\d+) and offset (?<offset>\d+).*exit code 0'
  say = "I read on."
  calls = [{ tool = "read_result", arguments = { call = 1, offset = 20000, limit = 100 } }]
  [[scene.turn]]
  when = 'bytes 20000 to 20100 of'
  say = "I saw its end, and then its middle."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn output_of_fifty_megabytes_has_a_defined_end_and_is_shown_by_head_and_tail() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, LARGE).expect("written");
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let set = [
        ("runs.script", script.to_str().expect("a path")),
        ("sandboxes.image", &image),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let rights = json!({ "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
    let ada = agent(owner, "scripted", rights).await;
    let run = worked(owner, &ada).await;
    assert!(
        run.str("/result/text")
            .contains("I saw its end, and then its middle."),
        "{run:?}"
    );
    let journal = journal(owner, &run).await;
    let result = of_kind(&journal, "tool")[0]["content"]["text"]
        .as_str()
        .unwrap_or_default();
    // The journal keeps more than the model was shown, and says what the sandbox did not keep.
    assert!(
        result.len() > 40_000 && result.len() < 60_000,
        "{}",
        result.len()
    );
    assert!(
        result.contains("bytes before this are left out"),
        "{}",
        &result[..200]
    );
    gateway.stop().await;
}
