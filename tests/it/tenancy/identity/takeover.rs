//! Attacks with an e-mail address that belongs to another person. A person who accepts an invitation can type any
//! address.

use roost_tests::hosted::Issuer;
use roost_tests::{Answer, Client, Gateway, Person, Store, Stream, eventually};
use serde_json::{Value, json};

use super::{ME, on_each, over, with};

const PASSWORD: &str = "a long enough one";

fn verified(email: &str, more: Value) -> Value {
    let mut claims = more;
    claims["email"] = json!(email);
    claims["email_verified"] = json!(true);
    claims
}

/// Somebody who is nobody's colleague and owns a workspace of their own.
async fn mallory(gateway: &Gateway) -> Person {
    gateway.stranger().await
}

/// The attack: an invitation into one's own workspace, accepted under somebody else's address.
async fn squat(gateway: &Gateway, by: &Person, email: &str) -> Answer {
    let path = format!("/api/workspaces/{}/invitations", by.workspace);
    let invited = by.post(&path).json(&json!({ "role": "viewer" }));
    let invited = invited.expect(201).await;
    let body = json!({ "token": invited.str("/token"), "email": email, "password": PASSWORD });
    let accept = gateway.anonymous().post("/api/invitations/accept");
    accept.json(&body).send().await
}

async fn sign_in(gateway: &Gateway, email: &str) -> Answer {
    let body = json!({ "email": email, "password": PASSWORD });
    let login = gateway.anonymous().post("/api/auth/login");
    login.json(&body).send().await
}

fn workspaces(me: &Answer) -> Vec<String> {
    let all = me.body["workspaces"].as_array().expect("workspaces");
    let mut names: Vec<String> = all
        .iter()
        .map(|one| one["name"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn account_with_a_colleagues_address_ends_when_the_colleague_signs_in() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[]).await {
        gateway.owner().await;
        let mallory = mallory(&gateway).await;
        let squatted = squat(&gateway, &mallory, "boss@example.com").await;
        assert_eq!(squatted.status, 200, "{}", squatted.text);
        let old = gateway.anonymous().with_token(squatted.str("/token"));
        let label = json!({ "label": "kept" });
        let api = old
            .post("/api/auth/sessions")
            .json(&label)
            .expect(201)
            .await;
        let api = gateway.anonymous().with_token(api.str("/token"));
        api.get(ME).expect(200).await;

        let claims = verified("boss@example.com", json!({ "role": "owner" }));
        let boss = with(&gateway, &issuer.token("boss", claims));
        let me = boss.get(ME).expect(200).await;
        assert_eq!(
            me.str("/user/id"),
            squatted.str("/user/id"),
            "no second account"
        );
        assert_eq!(
            (me.str("/workspace/name"), me.str("/role")),
            ("Home", "owner"),
            "the deployment's workspace comes first"
        );
        for (what, client) in [("session", &old), ("token", &api)] {
            let answer = client.get(ME).send().await;
            assert_eq!(answer.status, 401, "{what}: {}", answer.text);
        }
        assert_eq!(sign_in(&gateway, "boss@example.com").await.status, 401);
        let there = mallory.get("/api/audit").expect(200).await;
        assert!(
            there.text.contains("\"credentials_ended\":true"),
            "{}",
            there.text
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn streams_and_agents_tokens_of_a_taken_over_account_end_too() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[]).await {
        let mallory = mallory(&gateway).await;
        let squatted = squat(&gateway, &mallory, "boss@example.com").await;
        let old = gateway.anonymous().with_token(squatted.str("/token"));
        // In mallory's workspace the account may do what mallory lets it.
        let member = format!(
            "/api/workspaces/{}/members/{}",
            mallory.workspace,
            squatted.str("/user/id")
        );
        let role = json!({ "role": "admin" });
        mallory.patch(&member).json(&role).expect(200).await;
        let claw = old.post("/api/claws").json(&json!({ "name": "Trap" }));
        let claw = claw.expect(201).await;
        let path = format!("/api/claws/{}/tokens", claw.str("/id"));
        let made = old.post(&path).json(&json!({ "label": "kept" }));
        made.expect(201).await;
        let mut stream = Stream::open(old.get("/api/events")).await;

        let claims = verified("boss@example.com", json!({ "role": "member" }));
        let boss = with(&gateway, &issuer.token("boss", claims));
        boss.get(ME).expect(200).await;
        while stream.next().await.is_some() {}
        let left = mallory.get(&path).expect(200).await;
        assert_eq!(
            left.body["items"],
            json!([]),
            "the agent's token is revoked"
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn address_linked_to_another_identity_goes_to_its_owner() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[]).await {
        let mallory = mallory(&gateway).await;
        let squatted = squat(&gateway, &mallory, "boss@example.com").await;
        // As the page's link button leaves it: the account belongs to mallory's own subject by now.
        let id = squatted.str("/user/id").to_owned();
        link(&gateway, &id, "mallory").await;
        let claims = verified("boss@example.com", json!({ "role": "admin" }));
        let boss = with(&gateway, &issuer.token("boss", claims));
        let me = boss.get(ME).expect(200).await;
        assert_ne!(me.str("/user/id"), id, "an account of their own");
        assert_eq!(me.str("/user/email"), "boss@example.com");
        assert_eq!(workspaces(&me), ["Home"]);
        let other = with(&gateway, &issuer.token("mallory", json!({})));
        let other = other.get(ME).expect(200).await;
        assert_eq!(other.str("/user/id"), id);
        assert!(other.str("/user/email").ends_with("@displaced.invalid"));
        over(gateway, scratch).await;
    }
}

async fn link(gateway: &Gateway, user: &str, subject: &str) {
    use roost_tenancy::auth::hosted::store;
    let tx = gateway.app().db().write().await.expect("a transaction");
    let id = user.parse().expect("an id");
    assert!(store::link(&tx, id, subject).await.expect("it links"));
    tx.commit().await.expect("a commit");
}

#[tokio::test]
async fn invitation_of_another_workspace_does_not_change_a_colleagues_home() {
    let issuer = Issuer::start().await;
    let more = [("auth.admit_domains", "[\"example.com\"]")];
    for (gateway, scratch) in on_each(&issuer, &more).await {
        gateway.owner().await;
        let mallory = mallory(&gateway).await;
        let path = format!("/api/workspaces/{}/invitations", mallory.workspace);
        let named = json!({ "role": "owner", "email": "boss@example.com" });
        mallory.post(&path).json(&named).expect(201).await;
        // The address was squatted as well; neither keeps its owner out of the deployment's workspace.
        squat(&gateway, &mallory, "two@example.com").await;
        for (subject, email, all) in [
            ("boss", "boss@example.com", vec!["Home"]),
            ("two", "two@example.com", vec!["Elsewhere", "Home"]),
        ] {
            let claims = verified(email, json!({}));
            let came = with(&gateway, &issuer.token(subject, claims));
            let me = came.get(ME).expect(200).await;
            assert_eq!(
                (me.str("/workspace/name"), me.str("/role")),
                ("Home", "member")
            );
            assert_eq!(workspaces(&me), all, "{email}");
        }
        over(gateway, scratch).await;
    }
}

async fn is_operator(client: &Client) -> bool {
    let me = client.get(ME).expect(200).await;
    me.body["operator"].as_bool().expect("a flag")
}

#[tokio::test]
async fn typed_operators_address_makes_no_operator() {
    let folder = tempfile::tempdir().expect("a folder");
    // The account is there before the configuration names its address.
    let start = async |folder, set: &[(&str, &str)]| {
        let started = Gateway::start_in(folder, &Store::Sqlite, set, Default::default());
        started.await.expect("it starts")
    };
    let gateway = start(folder, &[]).await;
    let mallory = mallory(&gateway).await;
    let early = squat(&gateway, &mallory, "you@example.com").await;
    assert_eq!(early.status, 200, "{}", early.text);
    let early = early.str("/token").to_owned();
    let folder = gateway.stop_and_keep().await;

    let named = "[\"you@example.com\", \"late@example.com\"]";
    let gateway = start(folder, &[("operators", named)]).await;
    let early = gateway.anonymous().with_token(&early);
    assert!(!is_operator(&early).await, "the address was only typed");
    early.get("/api/ops/log").refused(403, "forbidden").await;
    // The same person at the gateway that was started again.
    let mallory = Person {
        client: gateway.anonymous().with_token(&mallory.token),
        ..mallory
    };
    let late = squat(&gateway, &mallory, "late@example.com").await;
    assert_eq!((late.status, late.str("/code")), (403, "forbidden"));
    gateway.stop().await;
}

#[tokio::test]
async fn a_grant_for_an_address_counts_only_for_the_account_that_the_operator_means() {
    use roost_platform::clock::SystemClock;
    use roost_platform::ids::UuidV7;
    use roost_tenancy::auth::{Grant, Granted, Role, grant_operator};
    for (gateway, scratch) in Gateway::start_on_each().await {
        gateway.owner().await;
        let mallory = mallory(&gateway).await;
        let squatted = squat(&gateway, &mallory, "you@example.com").await;
        let session = gateway.anonymous().with_token(squatted.str("/token"));
        let clock = SystemClock::shared();
        let ids = UuidV7::shared(clock.clone());
        let grant = async |email: &str, account: Option<&str>| {
            let grant = Grant {
                email: email.to_owned(),
                account: account.map(|id| id.parse().expect("an id")),
                name: None,
                role: Role::Member,
                one_time_minutes: 15,
            };
            let db = gateway.app().db();
            grant_operator(db, &clock, &ids, grant)
                .await
                .expect("it answers")
        };
        let asked = grant("you@example.com", None).await;
        let Granted::Unconfirmed { workspaces, .. } = asked else {
            panic!("nobody vouches for the address");
        };
        assert_eq!(workspaces, ["Elsewhere"]);
        assert!(!is_operator(&session).await);
        let other = grant("you@example.com", Some(&mallory.id)).await;
        assert!(matches!(other, Granted::AnotherAccount));
        // An address without an account gets one, which only the deployment's own login opens.
        let Granted::ToNew { login, .. } = grant("ops@example.com", None).await else {
            panic!("a new account");
        };
        let body = json!({ "one_time": login.reveal() });
        let signed = gateway.anonymous().post("/api/auth/login").json(&body);
        let ops = gateway
            .anonymous()
            .with_token(signed.expect(200).await.str("/token"));
        assert!(is_operator(&ops).await);
        let again = squat(&gateway, &mallory, "ops@example.com").await;
        assert_eq!(
            again.status, 401,
            "the account is there: its password decides"
        );
        // The operator may mean the account that is there, and then says so.
        let id = squatted.str("/user/id");
        assert!(matches!(
            grant("you@example.com", Some(id)).await,
            Granted::To(_)
        ));
        assert!(is_operator(&session).await);
        eventually("the grant stands in the audit log", || async {
            let audit = gateway.owner().await.get("/api/audit").expect(200).await;
            audit.text.contains("operator.granted").then_some(())
        })
        .await;
        over(gateway, scratch).await;
    }
}
