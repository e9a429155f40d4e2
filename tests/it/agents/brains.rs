//! The brain of an agent: versions, conflicts, restore, seeds and consolidations.

use roost_agents::claws::brain::{Cause, KEPT, Write, write_in};
use roost_tests::{Answer, Gateway, Person};
use serde_json::{Value, json};

async fn agent(owner: &Person, body: Value) -> String {
    let claw = owner.post("/api/claws").json(&body).expect(201).await;
    format!("/api/claws/{}/brain", claw.str("/id"))
}

async fn put(owner: &Person, brain: &str, over: i64, text: &str) -> Answer {
    let request = owner.put(brain).header("if-match", &over.to_string());
    request.json(&json!({ "agent_md": text })).send().await
}

#[tokio::test]
async fn a_brain_is_written_version_by_version_and_an_earlier_one_is_taken_back() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let brain = agent(owner, json!({ "name": "ada" })).await;
        let empty = owner.get(&brain).expect(200).await;
        assert_eq!(
            empty.body,
            json!({ "agent_md": "", "version": 0, "bytes": 0 })
        );
        assert_eq!(empty.header("etag"), "\"0\"");
        for (n, text) in ["# One", "# Two ü", "# Three"].iter().enumerate() {
            let n = i64::try_from(n).unwrap();
            let written = put(owner, &brain, n, text).await;
            assert_eq!(
                (written.status, &written.body["version"]),
                (200, &json!(n + 1))
            );
            assert_eq!(written.header("etag"), format!("\"{}\"", n + 1));
            assert_eq!(written.body["bytes"], text.len());
        }
        let history = format!("{brain}/history");
        let restored = owner
            .post(&format!("{history}/1/restore"))
            .header("if-match", "\"3\"")
            .expect(200)
            .await;
        assert_eq!(restored.str("/agent_md"), "# One");
        let list = owner.get(&history).expect(200).await;
        let told: Vec<_> = list.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (
                    one["version"].clone(),
                    one["cause"].clone(),
                    one["restored_from"].clone(),
                )
            })
            .collect();
        let edit = |version| (json!(version), json!("edit"), Value::Null);
        let expected = [
            (json!(4), json!("restore"), json!(1)),
            edit(3),
            edit(2),
            edit(1),
        ];
        assert_eq!(told, expected);
        assert!(!list.text.contains("agent_md"), "a list has no texts");
        assert_eq!(
            list.body["items"][0]["author"]["email"],
            owner.email.as_str()
        );
        let second = owner.get(&format!("{history}/2")).expect(200).await;
        assert_eq!(second.str("/agent_md"), "# Two ü");
        // In pages, each version once.
        let (mut seen, mut query) = (Vec::new(), "limit=3".to_owned());
        loop {
            let page = owner.get(&format!("{history}?{query}")).expect(200).await;
            let items = page.body["items"].as_array().unwrap();
            seen.extend(items.iter().map(|one| one["version"].as_i64().unwrap()));
            let Some(cursor) = page.body["next_cursor"].as_str() else {
                break;
            };
            query = format!("limit=3&cursor={cursor}");
        }
        assert_eq!(seen, [4, 3, 2, 1]);
        let audit = owner.get("/api/audit?action=brain.*").expect(200).await;
        assert_eq!(audit.body["items"].as_array().unwrap().len(), 4);
        owner
            .get(&format!("{history}/9"))
            .refused(404, "not-found")
            .await;
        let nine = owner.post(&format!("{history}/9/restore"));
        nine.refused(404, "not-found").await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn one_of_many_concurrent_writes_of_a_version_wins_and_the_others_get_a_conflict() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let brain = agent(owner, json!({ "name": "ada" })).await;
        let texts: Vec<String> = (0..8).map(|n| format!("text {n}")).collect();
        let tries = texts.iter().map(|text| put(owner, &brain, 0, text));
        let answers = futures::future::join_all(tries).await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|one| one.status == 200);
        assert_eq!(won.len(), 1);
        for refused in lost {
            assert_eq!(refused.status, 412, "{}", refused.text);
            assert_eq!(refused.body["code"], "precondition-failed");
            assert!(
                refused.str("/detail").contains("version 1"),
                "{}",
                refused.text
            );
        }
        // The answer was lost: the same text over the same version is no conflict and no new version.
        let again = put(owner, &brain, 0, won[0].str("/agent_md")).await;
        assert_eq!((again.status, &again.body["version"]), (200, &json!(1)));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_seed_never_overwrites_and_a_consolidation_does() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let brain = agent(owner, json!({ "name": "ada", "brain_seed": "# Begin" })).await;
    let seeded = owner.get(&brain).expect(200).await;
    assert_eq!(
        (seeded.str("/agent_md"), seeded.str("/cause")),
        ("# Begin", "seed")
    );
    put(owner, &brain, 1, "# Mine").await;
    let claw = brain.split('/').nth(3).unwrap().parse().unwrap();
    for (cause, text, kept) in [
        (Cause::Seed, "# Begin again", "# Mine"),
        (Cause::Consolidation, "# In order", "# In order"),
        (Cause::Seed, "# Begin again", "# In order"),
    ] {
        let write = Write {
            agent_md: text.to_owned(),
            cause,
            restored_from: None,
            if_version: None,
        };
        let mut change = gateway.change(owner).await;
        write_in(&mut change, claw, write).await.unwrap();
        change.commit().await.unwrap();
        let now = owner.get(&brain).expect(200).await;
        assert_eq!(now.str("/agent_md"), kept, "{cause:?}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn of_a_long_history_the_newest_versions_are_kept() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let brain = agent(owner, json!({ "name": "ada" })).await;
    let claw = brain.split('/').nth(3).unwrap().parse().unwrap();
    let mut change = gateway.change(owner).await;
    for version in 1..=KEPT + 2 {
        let write = Write {
            agent_md: format!("# Version {version}"),
            cause: Cause::Edit,
            restored_from: None,
            if_version: None,
        };
        write_in(&mut change, claw, write).await.unwrap();
    }
    change.commit().await.unwrap();
    let version = async |number: i64| owner.get(&format!("{brain}/history/{number}")).send().await;
    assert_eq!(version(2).await.status, 404);
    assert_eq!(version(3).await.str("/agent_md"), "# Version 3");
    assert_eq!(version(KEPT + 2).await.status, 200);
    gateway.stop().await;
}

#[tokio::test]
async fn too_long_brain_or_deleted_agent_is_refused() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let brain = agent(owner, json!({ "name": "ada" })).await;
    let refused = put(owner, &brain, 0, &"x".repeat(100_001)).await;
    assert_eq!(
        (refused.status, refused.str("/pointer")),
        (400, "/agent_md")
    );
    let request = owner.put(&brain).header("if-match", "latest");
    let request = request.json(&json!({ "agent_md": "x" }));
    request.refused(400, "validation").await;
    let claw = brain.trim_end_matches("/brain");
    owner.delete(claw).expect(204).await;
    assert_eq!(put(owner, &brain, 0, "x").await.status, 404);
    // What it knew can still be read.
    owner.get(&brain).expect(200).await;
    gateway.stop().await;
}
