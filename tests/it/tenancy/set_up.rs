//! The set-up of a deployment: its Owner takes the account over with a one-time login of the gateway's host.

use roost_tests::{Answer, Gateway};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

fn first_login(gateway: &Gateway) -> String {
    let file = gateway.data_dir().join("first-login");
    let token = std::fs::read_to_string(file).expect("a first login");
    token.trim().to_owned()
}

fn of(one_time: &str, email: &str) -> Value {
    json!({ "one_time": one_time, "name": " Ada ", "email": email, "password": "a long enough one" })
}

async fn set_up(gateway: &Gateway, body: Value) -> Answer {
    let request = gateway.anonymous().post("/api/setup").json(&body);
    request.send().await
}

#[tokio::test]
async fn owner_gets_name_address_and_password_once_and_stays_an_operator() {
    let set = [("operators", r#"["owner@roost.localhost"]"#.to_owned())];
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = roost_tests::ScratchPostgres::new().await {
        all.push((
            Gateway::start_like(&set, Some(&scratch)).await,
            Some(scratch),
        ));
    }
    for (gateway, scratch) in all {
        let nobody = gateway.anonymous();
        let ready = async || {
            let setup = nobody.get("/api/setup").expect(200).await;
            setup.body["owner_ready"].clone()
        };
        assert_eq!(ready().await, false);
        // A password of another account is not the Owner's.
        let db = gateway.app().db();
        let tx = db.write().await.expect("a transaction");
        let other = "UPDATE users SET password_hash = 'x' WHERE NOT deployment_owner";
        tx.execute_unprepared(other).await.expect("changed");
        tx.commit().await.expect("a commit");
        assert_eq!(ready().await, false);
        let one_time = first_login(&gateway);
        let done = set_up(&gateway, of(&one_time, "Ada@Example.test")).await;
        assert_eq!(done.status, 200, "{}", done.text);
        assert_eq!(done.str("/user/name"), "Ada");
        assert_eq!(done.str("/user/email"), "ada@example.test");
        assert_eq!(done.body["must_set_password"], false);
        assert!(done.header("set-cookie").contains("roost_session=rst_"));
        assert_eq!(ready().await, true);
        let owner = nobody.with_token(done.str("/token"));
        let me = owner.get("/api/auth/me").expect(200).await;
        assert_eq!(
            (&me.body["operator"], me.str("/role")),
            (&json!(true), "owner")
        );
        owner.get("/api/ops/plans").expect(200).await;

        // Once only, also with the same login, which is used up.
        let again = set_up(&gateway, of(&one_time, "eve@example.test")).await;
        assert_eq!((again.status, again.str("/code")), (409, "conflict"));
        assert!(again.str("/detail").contains("Sign in"), "{}", again.text);
        let login = nobody.post("/api/auth/login");
        let login = login.json(&json!({ "one_time": one_time }));
        login.refused(401, "invalid-credentials").await;
        let login = nobody.post("/api/auth/login");
        let login =
            login.json(&json!({ "email": "ada@example.test", "password": "a long enough one" }));
        login.expect(200).await;
        let audit = owner
            .get("/api/audit?action=deployment.*")
            .expect(200)
            .await;
        assert_eq!(audit.body["items"].as_array().map(Vec::len), Some(1));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn set_up_needs_the_login_of_the_host_and_a_refusal_does_not_use_it_up() {
    let gateway = Gateway::start().await;
    let one_time = first_login(&gateway);
    let unknown = set_up(&gateway, of("rot_made-up", "ada@example.test")).await;
    assert_eq!(
        (unknown.status, unknown.str("/code")),
        (401, "invalid-credentials")
    );
    for (field, value) in [
        ("password", json!("short")),
        ("name", json!("  ")),
        ("email", json!("nobody")),
    ] {
        let mut wrong = of(&one_time, "ada@example.test");
        wrong[field] = value;
        let refused = set_up(&gateway, wrong).await;
        assert_eq!((refused.status, refused.str("/code")), (400, "validation"));
    }
    // Of two at once, one sets it up.
    let (one, other) = tokio::join!(
        set_up(&gateway, of(&one_time, "ada@example.test")),
        set_up(&gateway, of(&one_time, "eve@example.test"))
    );
    let mut both = [one.status, other.status];
    both.sort_unstable();
    assert_eq!(both[0], 200, "{} {}", one.text, other.text);
    assert!([401, 409].contains(&both[1]), "{} {}", one.text, other.text);
    gateway.stop().await;
}
