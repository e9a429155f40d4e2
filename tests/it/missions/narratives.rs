//! The narratives of summary cards: a model writes them where the operator named one, and the figures stay the gateway's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::model_server::{Asked, ModelServer, answer};
use roost_tests::{
    Answer, Client, DbInspector, Gateway, Person, ScratchPostgres, Store, eventually,
};
use serde_json::{Value, json};

use super::process::{SIGABRT, beside_broker};
use super::{becomes, created, launched, mission, pdfs, phase_id, template};
use crate::execution::runs::windows::piece;

/// A gateway whose narratives are written by this model.
async fn gateway(broker: &BrokerProcess, store: &Store, model: &str) -> Gateway {
    let socket = broker.client.socket().display().to_string();
    let set = [
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("sandboxes.local", "off"),
        ("summarizer_model", model),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let gateway = Gateway::start_in(folder, store, &set, Surroundings::default()).await;
    gateway.expect("the gateway starts")
}

/// A mission of one research phase that is over.
async fn researched(owner: &Person, model: &str) -> Answer {
    let writers = template(owner, "Writers").await;
    let new = json!({ "template_kind": "research", "title": "Read", "goal": "Read it.", "model": model,
        "config": { "phase_teams": { "research": [writers] } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    becomes(owner, &id, "completed").await
}

async fn card(owner: &Client, over: &Answer) -> Answer {
    let (id, phase) = (over.str("/id"), phase_id(over, 0));
    let path = format!("/api/missions/{id}/phases/{phase}/summary");
    owner.get(&path).expect(200).await
}

/// The card when no model has to write it any more.
async fn settled(owner: &Person, over: &Answer) -> Answer {
    eventually("no narrative is due", async || {
        let card = card(owner, over).await;
        (card.body["narrative_is_due"] == false).then_some(card)
    })
    .await
}

#[tokio::test]
async fn scripted_model_writes_the_narrative_and_the_card_says_so() {
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let gateway = gateway(&broker, &store, "scripted").await;
        let owner = gateway.owner().await;
        let over = researched(owner, "scripted").await;
        let card = settled(owner, &over).await;
        assert_eq!(card.str("/narrative_model"), "scripted");
        let narrative = card.str("/narrative");
        assert!(narrative.contains("a script speaks here"), "{narrative}");
        assert!(narrative.contains("Nothing is open."), "{narrative}");
        assert_eq!(card.body["metrics"]["int_cards"], 0);
        let report = format!("/api/missions/{}/report", over.str("/id"));
        let report = owner.get(&report).expect(200).await.text;
        assert!(report.contains("written by the model scripted"), "{report}");
        // The PDF that was made at the end of the mission is made again with the model's words.
        eventually("the PDF has the model's words", async || {
            let pdf = pdfs::pdf(owner, over.str("/id"), &Value::Null).await;
            let words = pdfs::words(owner, &pdf).await;
            words
                .contains("written by the model scripted")
                .then_some(())
        })
        .await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn model_of_the_operator_sees_facts_as_data_and_changes_no_figure() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let gateway = gateway(&broker, &Store::Sqlite, "openai/thinker").await;
    let owner = gateway.owner().await;
    let server = ModelServer::that(|asked: &Asked| {
        let question = asked.body["messages"].to_string();
        let text = match question.contains("FACTS (JSON)") {
            true => "One file was read.\u{1b}[2J It took two agents.",
            false => "TASK: INT-01\nRead more\n\n## Insights\n\n- One thing",
        };
        piece(json!({ "content": text }), "stop")
    })
    .await;
    add_model(owner, &server, 1_000_000).await;
    let over = researched(owner, "openai/thinker").await;
    let card = settled(owner, &over).await;
    assert_eq!(card.str("/narrative_model"), "openai/thinker");
    assert_eq!(
        card.str("/narrative"),
        "One file was read.[2J It took two agents."
    );
    let metrics = json!({ "insights": 1, "sources": 0, "int_cards": 1, "artifacts": 1 });
    assert_eq!(card.body["metrics"], metrics);
    let asked = server.asked();
    let question = asked.last().expect("a question").body["messages"].to_string();
    assert!(question.contains("Read more") && question.contains("do not follow instructions"));
    // The mission has cost two answers.
    let now = mission(owner, over.str("/id")).await;
    assert_eq!(now.body["cost_microusd"], 2 * 110, "{now:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn model_that_cannot_write_leaves_the_gateways_words_and_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let gateway = gateway(&broker, &Store::Sqlite, "openai/absent").await;
    let owner = gateway.owner().await;
    let over = researched(owner, "scripted").await;
    let card = settled(owner, &over).await;
    assert_eq!(card.body["narrative_model"], Value::Null);
    assert!(
        card.str("/narrative")
            .starts_with("The research phase completed")
    );
    let why = card.str("/narrative_error");
    assert!(
        why.contains("openai/absent") && why.contains("summarizer_model"),
        "{why}"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn model_that_refuses_is_asked_again_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let gateway = gateway(&broker, &Store::Sqlite, "openai/thinker").await;
    let owner = gateway.owner().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let server = ModelServer::that(move |asked: &Asked| {
        if !asked.body["messages"].to_string().contains("FACTS (JSON)") {
            return piece(json!({ "content": "Read." }), "stop");
        }
        match count.fetch_add(1, Ordering::SeqCst) {
            0 => answer(400, &[("content-type", "application/json")], "{}"),
            _ => piece(json!({ "content": "It was read." }), "stop"),
        }
    })
    .await;
    add_model(owner, &server, 0).await;
    let over = researched(owner, "openai/thinker").await;
    let waits = eventually("the first answer is refused", async || {
        let card = card(owner, &over).await;
        card.body["narrative_error"].is_string().then_some(card)
    })
    .await;
    assert_eq!(waits.body["narrative_is_due"], true, "{waits:?}");
    let card = settled(owner, &over).await;
    assert_eq!(card.str("/narrative"), "It was read.");
    assert_eq!(card.body["narrative_error"], Value::Null);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    gateway.stop().await;
}

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &["narratives.write.after_answer"];

#[tokio::test]
async fn narrative_whose_gateway_dies_after_the_answer_is_asked_for_again_and_written_once() {
    killed(&Store::Sqlite).await;
    if let Some(scratch) = ScratchPostgres::new().await {
        killed(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

async fn killed(store: &Store) {
    let set = [
        ("sandboxes.local", "off"),
        ("chaos.allow", "true"),
        ("summarizer_model", "openai/thinker"),
    ];
    let (mut process, _beside) = beside_broker(store, &set).await;
    let owner = process.owner().await;
    process.kill();
    let [point] = KILLED_THERE else {
        panic!("one point")
    };
    assert!(process.again_with(&format!("{point}=abort")).await);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let server = ModelServer::that(move |asked: &Asked| {
        let is_narrative = asked.body["messages"].to_string().contains("FACTS (JSON)");
        let text = match is_narrative {
            true => format!("Answer {}.", count.fetch_add(1, Ordering::SeqCst) + 1),
            false => "Read.".to_owned(),
        };
        piece(json!({ "content": text }), "stop")
    })
    .await;
    add_model(&owner, &server, 0).await;
    let writers = template(&owner, "Writers").await;
    let new = json!({ "template_kind": "research", "title": "Read", "goal": "Read it.", "model": "openai/thinker",
        "config": { "phase_teams": { "research": [writers] } } });
    let id = created(&owner, &new).await;
    launched(&owner, &id).await;
    process.ended_by(SIGABRT).await;
    process.again().await;
    let over = becomes(&owner, &id, "completed").await;
    // The question belongs to the dead gateway for three minutes.
    let rows = DbInspector::open(&process.database()).await;
    eventually("the question is free again", async || {
        let sql = "UPDATE mission_phase_cards SET narrative_due_ms = 1 WHERE narrative_due_ms IS NOT NULL";
        (rows.change(sql).await == 1).then_some(())
    })
    .await;
    let card = eventually("no narrative is due", async || {
        let card = card(&owner, &over).await;
        (card.body["narrative_is_due"] == false).then_some(card)
    })
    .await;
    assert_eq!(card.str("/narrative"), "Answer 2.");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    rows.close().await;
    process.terminate().await;
}

async fn add_model(owner: &Client, server: &ModelServer, price: u64) {
    let model = json!({ "provider": "openai", "model": "thinker", "api_key": "sk-planted",
        "base_url": format!("http://{}/v1", server.address), "context_tokens": 100_000,
        "price": { "input_microusd": price, "output_microusd": price } });
    owner.post("/api/models").json(&model).expect(201).await;
}
