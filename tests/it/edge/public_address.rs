//! The address of the deployment: a gateway finds itself there or says why not, before it shows a line or a link.

use roost_tests::{Client, Gateway, free_port};
use serde_json::{Value, json};

const OPERATORS: (&str, &str) = ("operators", r#"["owner@roost.localhost"]"#);

async fn check(client: &Client, url: &str) -> Value {
    let check = client.post("/api/ops/public-address/check");
    check.json(&json!({ "url": url })).expect(200).await.body
}

#[tokio::test]
async fn operator_checks_an_address_and_reads_why_it_does_not_work() {
    let gateway = Gateway::start_with(&[OPERATORS]).await;
    let other = Gateway::start().await;
    let owner = gateway.owner().await;
    let found = json!({ "reachable": true, "reason": null });
    assert_eq!(check(owner, &gateway.url()).await, found);
    assert_eq!(check(owner, &format!("{}/", gateway.url())).await, found);
    let listener = format!("http://{}", gateway.app().operator_address());
    let closed = format!("http://127.0.0.1:{}", free_port());
    for (url, part) in [
        (other.url(), "another deployment"),
        (closed, "nothing answers there"),
        (listener, "says 4"),
        ("ftp://127.0.0.1".to_owned(), "https://"),
        (format!("{}/?x=1", gateway.url()), "query"),
    ] {
        let not = check(owner, &url).await;
        assert_eq!(not["reachable"], false, "{url}");
        let reason = not["reason"].as_str().expect("a reason");
        assert!(reason.contains(part), "{url}: {reason}");
    }
    for body in [
        json!({ "url": "no address" }),
        json!({ "url": "" }),
        json!({}),
    ] {
        let request = owner.post("/api/ops/public-address/check").json(&body);
        request.refused(400, "validation").await;
    }
    // The identity is the same for everybody, and needs no session.
    let (one, two) = (
        gateway.anonymous().get("/api/gateway"),
        owner.get("/api/gateway"),
    );
    let (one, two) = (one.expect(200).await, two.expect(200).await);
    assert_eq!(one.body, two.body);
    other.stop().await;
    gateway.stop().await;
}

/// What the answers with an address say about it.
async fn problems(gateway: &Gateway) -> [Value; 2] {
    let owner = gateway.owner().await;
    let paired = owner
        .post("/api/nodes/pair")
        .json(&json!({}))
        .expect(201)
        .await;
    let path = format!("/api/workspaces/{}/invitations", owner.workspace);
    let invited = owner.post(&path).json(&json!({ "role": "viewer" }));
    let invited = invited.expect(201).await;
    [&paired, &invited].map(|answer| answer.body["address_problem"].clone())
}

#[tokio::test]
async fn lines_and_links_say_when_their_address_does_not_lead_here() {
    // Without the setting, the address is the one of the browser: here, loopback.
    let gateway = Gateway::start().await;
    for problem in problems(&gateway).await {
        let problem = problem.as_str().expect("a problem").to_owned();
        assert!(problem.contains("this machine alone"), "{problem}");
    }
    gateway.stop().await;

    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let url = format!("http://{listen}");
    let gateway = Gateway::start_with(&[("listen", &listen), ("public_url", &url)]).await;
    assert_eq!(problems(&gateway).await, [Value::Null, Value::Null]);
    gateway.stop().await;

    let closed = format!("http://127.0.0.1:{}", free_port());
    let gateway = Gateway::start_with(&[("public_url", &closed)]).await;
    for problem in problems(&gateway).await {
        let problem = problem.as_str().expect("a problem").to_owned();
        for part in [closed.as_str(), "nothing answers there", "`public_url`"] {
            assert!(problem.contains(part), "{problem}");
        }
    }
    gateway.stop().await;
}
