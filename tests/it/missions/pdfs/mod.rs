//! Reports and artifacts as PDF. The files are read with `pdftotext` (Debian: poppler-utils).

mod killed;
mod programs;

pub(crate) use killed::KILLED_THERE;

use std::io::Write as _;
use std::process::Command;

use roost_tests::{Answer, Client, eventually};
use serde_json::{Value, json};

use super::{CODING, RESEARCH, becomes, created, launched, model, template, think_with};
use crate::connections::repos::Place;

/// The PDF of this source, once it is ready or has failed. `Null` is the report.
pub(super) async fn pdf(client: &Client, mission: &str, source: &Value) -> Value {
    eventually("the PDF is made", async || {
        let now = client.get(&format!("/api/missions/{mission}"));
        let now = now.expect(200).await;
        let artifacts = now.body["artifacts"].as_array().expect("artifacts");
        let found = artifacts.iter().find(|artifact| {
            artifact["kind"] == "pdf" && artifact["pdf"]["source_id"] == *source
        })?;
        (found["status"] != "pending").then(|| found.clone())
    })
    .await
}

/// The text of a PDF, with each gap as one space.
pub(super) async fn words(client: &Client, artifact: &Value) -> String {
    let path = artifact["path"].as_str().expect("where its file is");
    let answer = client.get(path).open().await;
    assert_eq!(answer.headers()["content-type"], "application/pdf");
    let file = answer.bytes().await.expect("the file");
    assert_eq!(artifact["pdf"]["bytes"], file.len());
    let mut kept = tempfile::NamedTempFile::new().expect("a file");
    kept.write_all(&file).expect("written");
    let read = Command::new("pdftotext")
        .arg("-layout")
        .arg(kept.path())
        .arg("-")
        .output()
        .expect("pdftotext of poppler-utils");
    assert!(read.status.success(), "{read:?}");
    let text = String::from_utf8_lossy(&read.stdout);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A mission of a team that speaks its script, which has ended.
async fn ended(owner: &Client, template: &str, title: &str) -> Answer {
    let new = json!({ "template_kind": "research", "title": title, "goal": "Find out.", "team_template_id": template });
    let made = owner.post("/api/missions").json(&new).expect(201).await;
    let path = format!("/api/missions/{}", made.str("/id"));
    let launch = owner.post(&format!("{path}/status"));
    launch
        .json(&json!({ "status": "running" }))
        .expect(202)
        .await;
    eventually("the mission is over", async || {
        let now = owner.get(&path).expect(200).await;
        (now.body["status"] == "completed").then_some(now)
    })
    .await
}

#[tokio::test]
async fn mission_that_ends_has_a_pdf_with_the_words_of_its_cards() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model(&[("phase 1 of 2", RESEARCH), ("phase 2 of 2", CODING)]).await;
        think_with(owner, &server).await;
        let (reads, codes) = (
            template(owner, "Readers").await,
            template(owner, "Coders").await,
        );
        let new = json!({ "template_kind": "development", "goal": "Make the parser twice as fast.",
            "config": { "phase_teams": { "coding": [codes], "research": [reads] } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let over = becomes(owner, &id, "completed").await;

        let report = pdf(owner, &id, &Value::Null).await;
        assert_eq!(report["status"], "ready", "{report}");
        assert_eq!(report["title"], "Report of Make the parser twice as fast.");
        assert!(report["pdf"]["pages"].as_i64() > Some(0), "{report}");
        let text = words(owner, &report).await;
        for part in [
            "Status completed",
            "Phase 1: research (completed)",
            "The research phase completed after",
            "insights 2",
            "INT-01 Make the parser faster complete",
            "Result of Readers",
            "The copy costs 40 %.",
            "Phase 2: coding (completed)",
            "tasks begun 2",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }

        // It is still right, so another request makes nothing.
        let path = format!("/api/missions/{id}");
        let again = owner.post(&format!("{path}/report")).expect(200).await;
        assert_eq!(again.body["id"], report["id"]);
        assert_eq!(again.body["updated_at"], report["updated_at"]);

        // An artifact as PDF.
        let artifact = over.str("/artifacts/0/id");
        let asked = owner.post(&format!("{path}/artifacts/{artifact}/pdf"));
        let asked = asked.expect(202).await;
        assert_eq!(asked.body["status"], "pending");
        let made = pdf(owner, &id, &json!(artifact)).await;
        assert_eq!(made["status"], "ready", "{made}");
        let text = words(owner, &made).await;
        assert!(text.contains("Artifact of Make the parser"), "{text}");
        assert!(text.contains("The copy costs 40 %."), "{text}");
        assert!(!text.contains("Phase 2"), "{text}");
        let asked = owner.post(&format!("{path}/artifacts/{artifact}/pdf"));
        asked.expect(200).await;
        let of_pdf = made["id"].as_str().expect("an id");
        let refused = owner.post(&format!("{path}/artifacts/{of_pdf}/pdf"));
        let refused = refused.expect(409).await;
        assert!(refused.str("/detail").contains("Markdown"), "{refused:?}");
        place.stop().await;
    }
}
