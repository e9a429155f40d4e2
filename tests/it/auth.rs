//! Signing in, sessions, passwords.

use roost_tests::Gateway;
use serde_json::json;

#[tokio::test]
async fn the_first_login_works_once_and_only_its_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let gateway = Gateway::start().await;
    let file = gateway.data_dir().join("first-login");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = std::fs::read_to_string(&file).unwrap();
    let body = json!({ "one_time": token.trim() });
    let client = gateway.anonymous();
    let first = client.post("/api/auth/login").json(&body).expect(200).await;
    assert_eq!(first.body["must_set_password"], true);
    assert_eq!(first.body["role"], "owner");
    let cookie = first.header("set-cookie");
    for part in ["roost_session=rst_", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let again = client.post("/api/auth/login").json(&body);
    again.refused(401, "invalid-credentials").await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_password_is_set_after_a_one_time_login_and_then_needs_the_present_one() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let setup = gateway.anonymous().get("/api/setup").expect(200).await;
    assert_eq!(setup.body["owner_ready"], false);
    let set = |body| owner.post("/api/auth/password").json(&body).send();
    assert_eq!(set(json!({ "new": "first password" })).await.status, 204);
    let wrong = set(json!({ "new": "other password", "current": "nonsense!!" })).await;
    assert_eq!((wrong.status, wrong.str("/pointer")), (400, "/current"));
    let right = json!({ "new": "second password", "current": "first password" });
    assert_eq!(set(right).await.status, 204);
    let login = |password: &str| {
        let body = json!({ "email": owner.email.to_uppercase(), "password": password });
        gateway.anonymous().post("/api/auth/login").json(&body)
    };
    login("first password")
        .refused(401, "invalid-credentials")
        .await;
    let answer = login("second password").expect(200).await;
    assert_eq!(answer.body["must_set_password"], false);
    let setup = gateway.anonymous().get("/api/setup").expect(200).await;
    assert_eq!(setup.body["owner_ready"], true);
    gateway.stop().await;
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_account_look_the_same_and_are_throttled_alike() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut answers = Vec::new();
    for email in [owner.email.as_str(), "nobody@example.test"] {
        let mut last = None;
        for _ in 0..10 {
            let body = json!({ "email": email, "password": "not the password" });
            let client = gateway.anonymous();
            let answer = client.post("/api/auth/login").json(&body);
            last = Some(answer.refused(401, "invalid-credentials").await);
        }
        let body = json!({ "email": email, "password": "not the password" });
        let closed = gateway.anonymous().post("/api/auth/login").json(&body);
        let closed = closed.refused(429, "too-many-attempts").await;
        assert!(closed.header("retry-after").parse::<u64>().unwrap() >= 1);
        let mut shown = last.unwrap().body;
        shown["request_id"] = json!(null);
        answers.push(shown);
    }
    assert_eq!(answers[0], answers[1]);
    gateway.stop().await;
}

#[tokio::test]
async fn a_session_that_was_ended_is_dead_at_once() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let body = json!({ "label": "ci" });
    let api = owner
        .post("/api/auth/sessions")
        .json(&body)
        .expect(201)
        .await;
    let machine = gateway.anonymous().with_token(api.str("/token"));
    machine.get("/api/auth/me").expect(200).await;
    let path = format!("/api/auth/sessions/{}", api.str("/id"));
    owner.delete(&path).expect(204).await;
    machine
        .get("/api/auth/me")
        .refused(401, "unauthenticated")
        .await;
    owner.post("/api/auth/logout").expect(204).await;
    owner
        .get("/api/auth/me")
        .refused(401, "unauthenticated")
        .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_cookie_changes_nothing_from_another_site() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let cookie = format!("a=b; roost_session={}", owner.token);
    let create = |origin: &str| {
        gateway
            .anonymous()
            .post("/api/claws")
            .header("cookie", &cookie)
            .header("origin", origin)
            .json(&json!({ "name": "x" }))
    };
    create("https://evil.example")
        .refused(403, "forbidden")
        .await;
    create(&gateway.url()).expect(201).await;
    gateway.stop().await;
}
