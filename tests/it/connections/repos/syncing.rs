//! What a sync stores from a host's list, and what it does with an invalid one.

use roost_tests::code_host::{Asked, CodeHost, Reply, entry};
use serde_json::{Value, json};

use super::{Place, TOKEN, connected, names, new, synced};

#[tokio::test]
async fn at_most_twenty_pages_are_read_and_500_repositories_shown() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|asked| {
            let from = u64::from(asked.page()) * 100;
            Reply::json(
                &(from..from + 100)
                    .map(|id| entry(id, asked.page()))
                    .collect(),
            )
            .with("link", "<https://evil.example/steal?page=2>; rel=\"next\"")
        })
        .await;
        let connection = connected(owner, &new("github_enterprise", &host, None)).await;
        let asked = host.asked();
        let pages: Vec<u32> = asked.iter().map(Asked::page).collect();
        assert_eq!(pages, (1..=20).collect::<Vec<_>>());
        assert_eq!(
            (&connection["repos"], &connection["last_sync_cut"]),
            (&json!(2000), &json!(true))
        );
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(names(&list).len(), 500);
        let newest = list.body[0]["provider_updated"].as_str().expect("a moment");
        let last = list.body[499]["provider_updated"].as_str().expect("one");
        assert!(newest > last, "{newest} {last}");
        // What a list that was cut does not have may still be there.
        host.answers(|_| {
            Reply::json(&json!([entry(1, 1)])).with("link", "<https://x/?page=2>; rel=\"next\"")
        });
        let id = connection["id"].as_str().expect("an id");
        assert_eq!(synced(owner, id).await["repos"], json!(2001));
        place.stop().await;
    }
}

#[tokio::test]
async fn unreadable_entries_are_counted_and_a_vanished_repository_returns_with_its_id() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|_| {
            Reply::json(&json!([entry(1, 1), entry(2, 2), entry(3, 3), entry(2, 2)]))
        })
        .await;
        let connection = connected(owner, &new("forgejo", &host, None)).await;
        let id = connection["id"].as_str().expect("an id");
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(names(&list), ["r3", "r2", "r1"]);
        let second = format!("/api/repos/{}", list.str("/1/id"));

        // 2 is gone, 3 cannot be read but is there.
        host.answers(|_| Reply::json(&json!([entry(1, 1), {"id": 3, "name": 7}])));
        let after = synced(owner, id).await;
        assert_eq!(
            (&after["last_sync_skipped"], &after["repos"]),
            (&json!(1), &json!(2))
        );
        assert_eq!(
            names(&owner.get("/api/repos").expect(200).await),
            ["r3", "r1"]
        );
        let gone = owner.get(&second).expect(200).await;
        assert!(gone.body["gone_at"].is_string());

        // Something is there that cannot even be named: nothing is taken for gone.
        host.answers(|_| Reply::json(&json!([null, "x", entry(3, 4)])));
        let after = synced(owner, id).await;
        assert_eq!(
            (&after["last_sync_skipped"], &after["repos"]),
            (&json!(2), &json!(2))
        );

        host.answers(|_| Reply::json(&json!([entry(2, 9)])));
        synced(owner, id).await;
        let back = owner.get(&second).expect(200).await;
        assert_eq!(back.body["gone_at"], Value::Null);
        assert_eq!(names(&owner.get("/api/repos").expect(200).await), ["r2"]);
        place.stop().await;
    }
}

#[tokio::test]
async fn each_refusal_is_recorded_in_words_and_the_repositories_stay() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|_| Reply::json(&json!([entry(1, 1)]))).await;
        let connection = connected(owner, &new("github_enterprise", &host, Some("acme"))).await;
        let id = connection["id"].as_str().expect("an id");
        let before = connection["last_synced_at"].clone();
        let saml =
            r#"{"message":"Resource protected by organization SAML enforcement.\u001b[31m"}"#;
        for (status, body, part) in [
            (401, "{}", "does not take the token"),
            (403, saml, "It says: Resource protected"),
            (404, "{}", "knows no organisation"),
            (429, "{}", "ask no more for now"),
            (500, "<html>oops</html>", "failed (500)"),
            (302, "", "answers from elsewhere"),
            (418, "[]", "answered 418"),
            (200, "not json", "no list of repositories"),
            (200, "{\"message\":\"x\"}", "no list of repositories"),
            (200, "[1,2", "no list of repositories"),
        ] {
            host.answers(move |_| {
                Reply::status(status, body).with("location", "http://127.0.0.1:1/")
            });
            let after = synced(owner, id).await;
            let told = after["last_sync_error"].as_str().expect("an error");
            assert!(told.contains(part), "{status}: {told}");
            assert!(told.len() < 400 && !told.chars().any(char::is_control));
            assert_eq!(
                (&after["last_synced_at"], &after["repos"]),
                (&before, &json!(1))
            );
        }
        host.answers(|_| Reply::status(403, "{}").with("x-ratelimit-remaining", "0"));
        let after = synced(owner, id).await;
        assert!(
            after["last_sync_error"]
                .as_str()
                .expect("one")
                .contains("ask no more")
        );
        host.answers(|_| Reply::json(&json!([entry(1, 1)])));
        assert_eq!(synced(owner, id).await["last_sync_error"], Value::Null);
        place.stop().await;
    }
}

#[tokio::test]
async fn unreachable_host_and_oversized_answer_are_reported() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let body =
            json!({ "provider": "forgejo", "base_url": "http://127.0.0.1:9", "token": TOKEN });
        let connection = connected(owner, &body).await;
        let told = connection["last_sync_error"].as_str().expect("an error");
        assert!(told.contains("cannot be reached"), "{told}");
        let host = CodeHost::start(|_| Reply::status(200, &"[".repeat(9 << 20))).await;
        let connection = connected(owner, &new("forgejo", &host, None)).await;
        let told = connection["last_sync_error"].as_str().expect("an error");
        assert!(told.contains("more than a page"), "{told}");
        place.stop().await;
    }
}

#[tokio::test]
async fn a_host_that_echoes_the_token_does_not_make_it_seen() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|asked| {
            let mut echo = entry(1, 1);
            echo["description"] = asked.headers["authorization"].clone().into();
            echo["name"] = format!("r {}", asked.headers["authorization"]).into();
            Reply::json(&json!([echo]))
        })
        .await;
        let connection = connected(owner, &new("forgejo", &host, None)).await;
        let id = connection["id"].as_str().expect("an id");
        let list = owner.get("/api/repos").expect(200).await;
        assert!(list.text.contains("token *"), "{}", list.text);
        assert!(!list.text.contains("5b1e77c20d9f"), "{}", list.text);
        host.answers(|asked| {
            let message = json!({ "message": asked.headers["authorization"] });
            Reply::status(401, &message.to_string())
        });
        let after = synced(owner, id).await;
        assert!(!after.to_string().contains("5b1e77c20d9f"), "{after}");
        place.stop().await;
    }
}
