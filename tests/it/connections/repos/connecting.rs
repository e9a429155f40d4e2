//! Code hosts over HTTP on both databases: connect, list, disconnect.

use roost_secret_broker::wire::{Answer, FaultCode, Inject, RecordName, Request};
use roost_tests::code_host::{CodeHost, Reply, entry};
use roost_tests::{Gateway, eventually};
use serde_json::json;

use super::{Place, TOKEN, connected, names, new, synced};

#[tokio::test]
async fn a_host_is_connected_read_searched_and_disconnected_and_its_token_is_nowhere_to_be_seen() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|asked| match (asked.path.as_str(), asked.page()) {
            ("/api/v3/orgs/acme/repos", 1) => {
                Reply::json(&(0..100).map(|id| entry(id, 1)).collect())
            }
            ("/api/v3/orgs/acme/repos", 2) => Reply::json(&json!([entry(200, 5), entry(201, 0)])),
            _ => Reply::status(404, "{}"),
        })
        .await;
        let connection = connected(owner, &new("github_enterprise", &host, Some("acme"))).await;
        assert_eq!(
            (
                &connection["repos"],
                &connection["last_sync_error"],
                &connection["label"]
            ),
            (&json!(102), &json!(null), &json!("acme at 127.0.0.1"))
        );
        assert!(connection["last_synced_at"].is_string());
        let asked = host.asked();
        assert_eq!(asked.len(), 2);
        for request in &asked {
            assert_eq!(request.headers["authorization"], format!("Bearer {TOKEN}"));
            assert_eq!(request.query["per_page"], "100");
        }

        let list = owner.get("/api/repos").expect(200).await;
        let listed = names(&list);
        assert_eq!(
            (listed.len(), listed[0], listed[101]),
            (102, "r200", "r201")
        );
        let found = owner.get("/api/repos?q=ACME%2Fr20").expect(200).await;
        assert_eq!(names(&found), ["r200", "r20", "r201"]);
        assert!(names(&owner.get("/api/repos?q=r%25").expect(200).await).is_empty());
        let id = found.str("/0/id");
        let repo = owner.get(&format!("/api/repos/{id}")).expect(200).await;
        assert_eq!(repo.str("/clone_url"), "https://git.example/acme/r200.git");
        assert_eq!(repo.str("/html_url"), "https://git.example/acme/r200");

        let connection = connection["id"].as_str().expect("an id");
        let name = RecordName::new(
            owner.workspace.clone(),
            format!("repos/{connection}/access_token"),
        )
        .expect("a name");
        let Ok(Answer::Described(record)) = place
            .broker
            .client
            .call(&Request::Describe(name.clone()))
            .await
        else {
            panic!("the broker has it");
        };
        assert_eq!(record.inject, Inject::Bearer);
        assert!(record.allow.iter().all(|entry| entry.origin == host.url()));
        // The token changes nothing at the host but its branches, by git, and opens pull requests.
        let posts = record.allow.iter();
        let posts = posts.filter(|entry| entry.methods.contains(&"POST".to_owned()));
        let posts: Vec<_> = posts
            .map(|entry| (&entry.methods, &*entry.path_prefix))
            .collect();
        assert_eq!(
            posts,
            [(&vec!["POST".to_owned()], "/api/v3/repos/*/*/pulls")]
        );

        for path in [
            "/api/repos/connections",
            "/api/repos",
            "/api/audit",
            &format!("/api/repos/{id}"),
        ] {
            let answer = owner.get(path).expect(200).await;
            assert!(!answer.text.contains("5b1e77c20d9f"), "{path}");
        }
        let audit = owner.get("/api/audit?action=repos.*").expect(200).await;
        assert_eq!(audit.str("/items/0/action"), "repos.connected");

        let path = format!("/api/repos/connections/{connection}");
        owner.delete(&path).expect(204).await;
        owner.delete(&path).refused(404, "not-found").await;
        assert!(names(&owner.get("/api/repos").expect(200).await).is_empty());
        owner
            .get(&format!("/api/repos/{id}"))
            .refused(404, "not-found")
            .await;
        eventually("the broker forgets the token", || async {
            let asked = place
                .broker
                .client
                .call(&Request::Describe(name.clone()))
                .await;
            match asked {
                Err(roost_secret_broker::client::ClientError::Refused(fault)) => {
                    (fault.code == FaultCode::UnknownRecord).then_some(())
                }
                _ => None,
            }
        })
        .await;
        place.stop().await;
    }
}

#[tokio::test]
async fn other_tenants_see_and_change_nothing_and_a_viewer_only_reads() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|_| Reply::json(&json!([entry(1, 1)]))).await;
        let connection = connected(owner, &new("github_enterprise", &host, None)).await;
        let connection = connection["id"].as_str().expect("an id");
        let list = owner.get("/api/repos").expect(200).await;
        let repo = format!("/api/repos/{}", list.str("/0/id"));
        let (path, again) = (
            format!("/api/repos/connections/{connection}"),
            format!("/api/repos/connections/{connection}/sync"),
        );
        let stranger = place.gateway.stranger().await;
        stranger.get(&repo).refused(404, "not-found").await;
        stranger.delete(&path).refused(404, "not-found").await;
        stranger.post(&again).refused(404, "not-found").await;
        assert!(names(&stranger.get("/api/repos").expect(200).await).is_empty());
        let filtered = format!("/api/repos?connection_id={connection}");
        assert!(names(&stranger.get(&filtered).expect(200).await).is_empty());

        let viewer = place.gateway.person("viewer").await;
        viewer.get(&repo).expect(200).await;
        viewer.post(&again).refused(403, "forbidden").await;
        let member = place.gateway.person("member").await;
        member.post(&again).expect(202).await;
        member.delete(&path).refused(403, "forbidden").await;
        place.stop().await;
    }
}

#[tokio::test]
async fn what_cannot_be_connected_is_refused_with_the_field_and_leaves_nothing() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        for (body, pointer) in [
            (json!({"provider": "github", "token": "short"}), "/token"),
            (
                json!({"provider": "github", "token": "with a blank"}),
                "/token",
            ),
            (json!({"provider": "../../x", "token": TOKEN}), "/provider"),
            (json!({"provider": "forgejo", "token": TOKEN}), "/base_url"),
            (
                json!({"provider": "github", "token": TOKEN, "base_url": "https://git.example"}),
                "/base_url",
            ),
            (
                json!({"provider": "forgejo", "token": TOKEN, "base_url": "http://git.example"}),
                "/base_url",
            ),
            (
                json!({"provider": "forgejo", "token": TOKEN, "base_url": "https://169.254.169.254"}),
                "/base_url",
            ),
            (
                json!({"provider": "forgejo", "token": TOKEN, "base_url": "https://10.0.0.1/git"}),
                "/base_url",
            ),
            (
                json!({"provider": "forgejo", "token": TOKEN, "base_url": "https://me:word@git.example"}),
                "/base_url",
            ),
            (
                json!({"provider": "github", "token": TOKEN, "owner": "acme/../x"}),
                "/owner",
            ),
            (
                json!({"provider": "github", "token": TOKEN, "label": ""}),
                "/label",
            ),
            (
                json!({"provider": "github", "token": TOKEN, "extra": 1}),
                "/extra",
            ),
        ] {
            let refused = owner.post("/api/repos/connections").json(&body);
            let refused = refused.refused(400, "validation").await;
            assert_eq!(refused.str("/pointer"), pointer, "{body}: {}", refused.text);
            assert!(!refused.text.contains("5b1e77c20d9f"), "{}", refused.text);
        }
        let listed = owner.get("/api/repos/connections").expect(200).await;
        assert_eq!(listed.body["items"], json!([]));
        let Ok(Answer::Status(status)) = place.broker.client.call(&Request::Status).await else {
            panic!("the broker answers");
        };
        assert_eq!(status.records, 0);
        place.stop().await;
    }
}

#[tokio::test]
async fn without_a_broker_nothing_is_connected_and_the_answer_says_so() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let body = json!({ "provider": "github", "token": TOKEN });
    let refused = owner.post("/api/repos/connections").json(&body);
    let refused = refused.refused(503, "unavailable").await;
    assert!(
        refused.str("/detail").contains("secret broker"),
        "{}",
        refused.text
    );
    let listed = owner.get("/api/repos/connections").expect(200).await;
    assert_eq!(listed.body["items"], json!([]));
    gateway.stop().await;
}

#[tokio::test]
async fn a_repeated_request_makes_one_connection_and_the_twentieth_is_the_last() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|_| Reply::json(&json!([]))).await;
        let body = new("forgejo", &host, None);
        let once = || {
            let request = owner.post("/api/repos/connections").json(&body);
            request.header("idempotency-key", "connect-1").expect(201)
        };
        let first = once().await;
        assert_eq!(once().await.str("/id"), first.str("/id"));
        let racing = (0..24).map(|_| owner.post("/api/repos/connections").json(&body).send());
        let answers = futures::future::join_all(racing).await;
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        let full = answers.iter().filter(|answer| answer.status == 409).count();
        assert_eq!((made, full), (19, 5));
        let listed = owner.get("/api/repos/connections").expect(200).await;
        assert_eq!(listed.body["items"].as_array().map(Vec::len), Some(20));
        let id = first.str("/id");
        synced(owner, id).await;
        place.stop().await;
    }
}
