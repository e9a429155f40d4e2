//! The history of an agent: rows of three sources in one order, with pages, filters, and roles.

use roost_tests::{Gateway, Person};
use serde_json::{Value, json};

async fn agent(owner: &Person, name: &str) -> String {
    let body = json!({ "name": name });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    made.str("/id").to_owned()
}

fn whats(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().expect("items");
    items
        .iter()
        .map(|item| {
            format!(
                "{} {}",
                item["source"].as_str().expect("a source"),
                item["what"].as_str().expect("what")
            )
        })
        .collect()
}

#[tokio::test]
async fn a_history_holds_what_was_done_to_the_agent_newest_first_and_each_line_once() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let (ada, bob) = (agent(owner, "ada").await, agent(owner, "bob").await);
        let path = format!("/api/claws/{ada}/activity");
        for text in ["one", "two", "three"] {
            owner
                .put(&format!("/api/claws/{ada}/brain"))
                .json(&json!({ "agent_md": text }))
                .expect(200)
                .await;
        }
        let all = owner.get(&path).expect(200).await;
        let first = &all.body["items"][0];
        assert_eq!(first["what"], "brain.written", "{}", all.text);
        assert_eq!(first["by"]["email"], json!(owner.email));
        assert_eq!(
            whats(&all.body)
                .iter()
                .filter(|what| *what == "audit claw.created")
                .count(),
            1,
            "bob's is not in it: {}",
            all.text
        );
        let times: Vec<&str> = all.body["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| item["at"].as_str().expect("a time"))
            .collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");

        // By pages of one, the same lines.
        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = owner
                .get(&format!("{path}?limit=1{cursor}"))
                .expect(200)
                .await;
            paged.extend(whats(&page.body));
            match page.body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(paged, whats(&all.body));

        let none = owner
            .get(&format!("{path}?sources=operation"))
            .expect(200)
            .await;
        assert_eq!(none.body["items"], json!([]), "nothing ran yet");
        owner
            .get(&format!("{path}?sources=gossip"))
            .expect(400)
            .await;
        owner.get(&format!("{path}?cursor=bm8")).expect(400).await;

        // Who may not read the audit log does not read it here.
        let viewer = gateway.person("viewer").await;
        let theirs = viewer.get(&path).expect(200).await;
        assert!(
            whats(&theirs.body)
                .iter()
                .all(|what| !what.starts_with("audit")),
            "{}",
            theirs.text
        );
        let stranger = gateway.stranger().await;
        stranger.get(&path).expect(404).await;
        let other = owner.get(&format!("/api/claws/{bob}/activity")).expect(200);
        assert!(!other.await.text.contains(&ada));
        gateway.stop().await;
        drop(scratch);
    }
}
