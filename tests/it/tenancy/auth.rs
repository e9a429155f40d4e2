//! Sign-in, sessions, passwords.

use std::time::{Duration, Instant};

use roost_tests::{Answer, Gateway, Stream};
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

#[tokio::test]
async fn the_streams_of_a_session_that_was_ended_end_within_a_second() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let body = json!({ "label": "dashboard" });
        let made = owner.post("/api/auth/sessions").json(&body);
        let made = made.expect(201).await;
        let machine = gateway.anonymous().with_token(made.str("/token"));
        let mut events = Stream::open(machine.get("/api/events")).await;
        let mut nodes = Stream::open(machine.get("/api/nodes/live")).await;
        let mut mine = Stream::open(owner.get("/api/events")).await;
        let path = format!("/api/auth/sessions/{}", made.str("/id"));
        owner.delete(&path).expect(204).await;
        let ended = Instant::now();
        assert_eq!(events.next().await, None);
        assert_eq!(nodes.next().await, None);
        assert!(ended.elapsed() < Duration::from_secs(1), "{ended:?}");
        // Nobody else's stream is touched.
        let create = owner.post("/api/claws").json(&json!({ "name": "x" }));
        create.expect(201).await;
        assert!(mine.next().await.is_some());
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_session_that_another_gateway_ended_loses_its_streams_here() {
    // Another program deletes the row. The watch notices it.
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let viewer = gateway.person("viewer").await;
    let mut stream = Stream::open(viewer.get("/api/events")).await;
    let tx = gateway.app().db().write().await.unwrap();
    let user = viewer.id.parse().unwrap();
    let sessions = roost_tenancy::auth::store::sessions_of(&*tx, user);
    let session = sessions.await.unwrap().remove(0).id;
    roost_tenancy::auth::store::delete_session(&tx, user, session)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let ended = Instant::now();
    assert_eq!(stream.next().await, None);
    assert!(ended.elapsed() < Duration::from_secs(1), "{ended:?}");
    drop(owner.get("/api/auth/me").expect(200).await);
    gateway.stop().await;
}

#[tokio::test]
async fn a_new_password_ends_other_sign_ins_and_tokens_only_where_they_say_so() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let set = |body| owner.post("/api/auth/password").json(&body).expect(204);
    set(json!({ "new": "first password" })).await;
    let body = json!({ "email": owner.email, "password": "first password" });
    let other = gateway.anonymous().post("/api/auth/login").json(&body);
    let other = other.expect(200).await;
    let other = gateway.anonymous().with_token(other.str("/token"));
    let token = json!({ "label": "ci", "expires_in_days": 7 });
    let token = owner.post("/api/auth/sessions").json(&token);
    let program = gateway
        .anonymous()
        .with_token(token.expect(201).await.str("/token"));
    let current = "first password";
    set(json!({ "new": "second password", "current": current })).await;
    let me = "/api/auth/me";
    other.get(me).refused(401, "unauthenticated").await;
    program.get(me).expect(200).await;
    let current = "second password";
    set(json!({ "new": "third password", "current": current, "revoke_tokens": true })).await;
    program.get(me).refused(401, "unauthenticated").await;
    owner.get(me).expect(200).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_token_cannot_outlive_itself_or_take_the_account() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let make = |body: serde_json::Value| owner.post("/api/auth/sessions").json(&body);
    let long = make(json!({ "label": "x", "expires_in_days": 91 }));
    let long = long.refused(400, "validation").await;
    assert_eq!(long.str("/pointer"), "/expires_in_days");
    make(json!({ "label": "x", "expires_in_days": 0 }))
        .refused(400, "validation")
        .await;
    let made = make(json!({ "label": "ci", "expires_in_days": 1 }));
    let made = made.expect(201).await;
    assert!(made.str("/token").starts_with("rat_"));
    let program = gateway.anonymous().with_token(made.str("/token"));
    let again = program.post("/api/auth/sessions");
    again
        .json(&json!({ "label": "successor" }))
        .refused(403, "forbidden")
        .await;
    let password = program.post("/api/auth/password");
    password
        .json(&json!({ "new": "a long enough one" }))
        .refused(403, "forbidden")
        .await;
    let list = owner.get("/api/auth/sessions").expect(200).await;
    let kinds: Vec<&str> = list.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["api", "login"]);
    assert_eq!(list.str("/items/1/from_address"), "127.0.0.1");
    gateway.stop().await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_client_is_throttled_and_not_everybody() {
    let proxied = Gateway::start_with(&[("trusted_proxies", "[\"127.0.0.1\"]")]).await;
    let direct = Gateway::start().await;
    for (gateway, believed) in [(&proxied, true), (&direct, false)] {
        // One-time logins: they are counted by address alone, and cost no hash.
        let attempt = |from: &str| {
            let body = json!({ "one_time": "rot_nonsense" });
            let post = gateway.anonymous().post("/api/auth/login").json(&body);
            post.header("x-forwarded-for", from)
        };
        for _ in 0..30 {
            attempt("203.0.113.7")
                .refused(401, "invalid-credentials")
                .await;
        }
        attempt("203.0.113.7")
            .refused(429, "too-many-attempts")
            .await;
        // A client that writes the header itself does not become another client.
        attempt("198.51.100.1, 203.0.113.7")
            .refused(429, "too-many-attempts")
            .await;
        let other = attempt("198.51.100.1").send().await.status;
        assert_eq!(other, if believed { 401 } else { 429 });
    }
    proxied.stop().await;
    direct.stop().await;
}

/// The values of the cookies that an answer sets, by name.
fn cookies(answer: &Answer) -> Vec<&str> {
    let set = answer.headers.get_all("set-cookie").iter();
    set.map(|value| value.to_str().expect("text")).collect()
}

#[tokio::test]
async fn wrong_passwords_of_strangers_do_not_keep_a_known_browser_from_signing_in() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let set = owner.post("/api/auth/password");
        set.json(&json!({ "new": "first password" }))
            .expect(204)
            .await;
        let login = |email: &str, password: &str| {
            let body = json!({ "email": email, "password": password });
            let post = gateway.anonymous().post("/api/auth/login").json(&body);
            post.header("origin", &gateway.url())
        };
        let first = login(&owner.email, "first password").expect(200).await;
        let device = cookies(&first)
            .into_iter()
            .find(|cookie| cookie.starts_with("roost_device=rstd_"))
            .expect("the browser is remembered");
        for part in ["HttpOnly", "SameSite=Strict", "Max-Age=15552000"] {
            assert!(device.contains(part), "{device}");
        }
        let device = device.split(';').next().expect("a value").to_owned();
        let known = |email: &str, password: &str| login(email, password).header("cookie", &device);

        for _ in 0..10 {
            login(&owner.email, "a guess")
                .refused(401, "invalid-credentials")
                .await;
        }
        let shut = login(&owner.email, "first password");
        shut.refused(429, "too-many-attempts").await;
        let again = known(&owner.email, "first password").expect(200).await;
        assert_eq!(cookies(&again).len(), 1, "it keeps what it has");
        // Who is signed in may change the password meanwhile.
        let change = json!({ "new": "second password", "current": "first password" });
        owner
            .post("/api/auth/password")
            .json(&change)
            .expect(204)
            .await;

        // For another account the browser is a stranger, and its own tries are bounded as well.
        for _ in 0..10 {
            known("nobody@example.test", "a guess")
                .refused(401, "invalid-credentials")
                .await;
            known(&owner.email, "a guess")
                .refused(401, "invalid-credentials")
                .await;
        }
        known("nobody@example.test", "a guess")
            .refused(429, "too-many-attempts")
            .await;
        known(&owner.email, "second password")
            .refused(429, "too-many-attempts")
            .await;

        // A program is not remembered: its cookies lie nowhere.
        let person = gateway.person("member").await;
        let set = person.post("/api/auth/password");
        set.json(&json!({ "new": "first password" }))
            .expect(204)
            .await;
        let body = json!({ "email": person.email, "password": "first password" });
        let program = gateway
            .anonymous()
            .post("/api/auth/login")
            .json(&body)
            .expect(200)
            .await;
        assert_eq!(cookies(&program).len(), 1);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
