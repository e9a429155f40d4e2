//! The limits of one person: workspaces, invitations, tokens, sign-ins; and what a program's token may not create.

use roost_platform::clock::SystemClock;
use roost_platform::ids::{SessionId, UuidV7, fresh};
use roost_tenancy::auth;
use roost_tenancy::auth::entity::session;
use roost_tests::{Answer, Client, Gateway, Person, ScratchPostgres};
use serde_json::{Value, json};

async fn on_each(set: &[(&'static str, &str)]) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set: Vec<(&str, String)> = set
        .iter()
        .map(|(key, value)| (*key, (*value).to_owned()))
        .collect();
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&set, Some(&scratch)).await;
        all.push((gateway, Some(scratch)));
    }
    all
}

async fn over(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

async fn workspace(client: &Client) -> Answer {
    let body = json!({ "name": "One more" });
    client.post("/api/workspaces").json(&body).send().await
}

fn invitations(person: &Person) -> String {
    format!("/api/workspaces/{}/invitations", person.workspace)
}

#[tokio::test]
async fn a_person_owns_as_many_workspaces_as_their_best_plan_allows() {
    for (gateway, scratch) in on_each(&[("plans.default", "free")]).await {
        let viewer = gateway.person("viewer").await;
        let asked = (0..12).map(|_| workspace(&viewer));
        let answers = futures::future::join_all(asked).await;
        let made = answers.iter().filter(|answer| answer.status == 201);
        assert_eq!(made.count(), 5, "also when many ask at once");
        let refused = answers.iter().find(|answer| answer.status != 201);
        let refused = refused.expect("a refusal");
        assert_eq!(
            (refused.status, refused.str("/code")),
            (402, "quota-exceeded"),
            "{}",
            refused.text
        );
        assert_eq!(
            (&refused.body["limit"], &refused.body["used"]),
            (&json!(5), &json!(5))
        );
        // Who owns one of a larger plan may own more of all.
        let set = "UPDATE workspaces SET plan = 'team' WHERE id IN \
                   (SELECT workspace_id FROM members WHERE role = 'owner') AND name = 'One more'";
        execute(&gateway, set).await;
        assert_eq!(workspace(&viewer).await.status, 201);
        over(gateway, scratch).await;
    }
}

async fn execute(gateway: &Gateway, sql: &str) {
    use sea_orm::ConnectionTrait;
    let tx = gateway.app().db().write().await.expect("a transaction");
    tx.execute_unprepared(sql).await.expect("it is done");
    tx.commit().await.expect("a commit");
}

#[tokio::test]
async fn new_workspace_gets_the_sign_up_plan_when_sign_up_is_open() {
    let issuer = roost_tests::hosted::Issuer::start().await;
    let mut set = issuer.settings();
    set.push(("auth.per_signup_workspace", "true".to_owned()));
    let gateway = Gateway::start_like(&set, None).await;
    let claims = json!({ "email": "ada@example.com", "email_verified": true });
    let ada = gateway.anonymous().with_token(&issuer.token("ada", claims));
    let quota = ada.get("/api/quota").expect(200).await;
    assert_eq!(quota.str("/plan"), "free");
    // The way around by a second workspace, and by an account that an invitation made.
    assert_eq!(workspace(&ada).await.str("/plan"), "free");
    let viewer = gateway.person("viewer").await;
    assert_eq!(workspace(&viewer).await.str("/plan"), "free");
    let owner = gateway.owner().await.get("/api/quota").expect(200).await;
    assert_eq!(owner.str("/plan"), "scale", "the deployment's own");
    gateway.stop().await;
}

#[tokio::test]
async fn a_persons_tokens_and_invitations_are_bounded() {
    for (gateway, scratch) in on_each(&[]).await {
        let person = gateway.stranger().await;
        let token = |n: usize| {
            let body = json!({ "label": format!("token {n}") });
            person.post("/api/auth/sessions").json(&body)
        };
        for n in 0..50 {
            token(n).expect(201).await;
        }
        token(51).refused(409, "conflict").await;
        // Spread over several workspaces, and withdrawn or not, a day's invitations count for the person.
        let mut places = vec![person.workspace.clone()];
        for _ in 0..2 {
            places.push(workspace(&person).await.str("/id").to_owned());
        }
        let invite = |n: usize| {
            let path = format!("/api/workspaces/{}/invitations", places[n % places.len()]);
            person.post(&path).json(&json!({ "role": "viewer" }))
        };
        for n in 0..100 {
            invite(n).expect(201).await;
        }
        let refused = invite(101).refused(429, "too-many-attempts").await;
        assert_eq!(refused.header("retry-after"), "3600");
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn one_more_sign_in_than_a_person_may_have_ends_the_one_that_was_unused_longest() {
    for (gateway, scratch) in on_each(&[]).await {
        let person = gateway.stranger().await;
        let clock = SystemClock::shared();
        let ids = UuidV7::shared(clock.clone());
        let now = clock.now();
        let tx = gateway.app().db().write().await.expect("a transaction");
        for age in 1..=150_i64 {
            let id: SessionId = fresh(&ids);
            let row = session::Model {
                id,
                user_id: person.id.parse().expect("an id"),
                workspace_id: person.workspace.parse().expect("an id"),
                token_sha256: auth::sha256_hex(&format!("session {age}")),
                kind: "login".to_owned(),
                label: None,
                from_address: None,
                device: None,
                set_password_without_current: false,
                by_issuer: false,
                scopes: None,
                created_at: now,
                last_seen_at: now - chrono::TimeDelta::minutes(age),
                expires_at: now + chrono::TimeDelta::days(1),
            };
            auth::store::insert_session(&*tx, row).await.expect("a row");
        }
        let id = person.id.parse().expect("an id");
        let login = auth::issue_one_time(&tx, &clock, &ids, id, 15).await;
        let login = login.expect("a login");
        tx.commit().await.expect("a commit");
        let body = json!({ "one_time": login.reveal() });
        let login = gateway.anonymous().post("/api/auth/login").json(&body);
        login.expect(200).await;
        let list = person.get("/api/auth/sessions").expect(200).await;
        assert_eq!(list.body["items"].as_array().map(Vec::len), Some(100));
        let old = gateway.anonymous().with_token("session 150");
        old.get("/api/auth/me")
            .refused(401, "unauthenticated")
            .await;
        let new = gateway.anonymous().with_token("session 1");
        new.get("/api/auth/me").expect(200).await;
        over(gateway, scratch).await;
    }
}

async fn program(person: &Person) -> Client {
    let made = person
        .post("/api/auth/sessions")
        .json(&json!({ "label": "a program" }));
    person
        .client
        .with_token(made.expect(201).await.str("/token"))
}

#[tokio::test]
async fn a_programs_token_makes_nothing_that_outlives_it() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let viewer = gateway.person("viewer").await;
    let stranger = gateway.stranger().await;
    let stolen = program(owner).await;
    let invite = |role: &str| {
        stolen
            .post(&invitations(owner))
            .json(&json!({ "role": role }))
    };
    for role in ["owner", "admin", "member", "viewer"] {
        invite(role).refused(403, "forbidden").await;
    }
    let member = format!("/api/workspaces/{}/members/{}", owner.workspace, viewer.id);
    let promoted = stolen.patch(&member).json(&json!({ "role": "owner" }));
    promoted.refused(403, "forbidden").await;
    let claw = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
    let tokens = format!("/api/claws/{}/tokens", claw.expect(201).await.str("/id"));
    let token = json!({ "label": "kept" });
    let made = stolen.post(&tokens).json(&token);
    made.refused(403, "forbidden").await;
    // Nor does it take its person somewhere else.
    let elsewhere = stranger.post(&invitations(&stranger));
    let elsewhere = elsewhere
        .json(&json!({ "role": "member" }))
        .expect(201)
        .await;
    let link = json!({ "token": elsewhere.str("/token") });
    let accepted = stolen.post("/api/invitations/accept").json(&link);
    accepted.refused(403, "forbidden").await;
    // What only reads and what ends something stays possible.
    stolen
        .get(&member.replace(&format!("/{}", viewer.id), ""))
        .expect(200)
        .await;
    stolen.delete(&member).expect(204).await;
    gateway.stop().await;
}

#[tokio::test]
async fn agents_tokens_end_with_their_makers_membership_and_with_a_new_password() {
    for (gateway, scratch) in on_each(&[]).await {
        let owner = gateway.owner().await;
        let claw = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let tokens = format!("/api/claws/{}/tokens", claw.expect(201).await.str("/id"));
        let member = gateway.person("member").await;
        for person in [owner, &member] {
            let made = person.post(&tokens).json(&json!({ "label": "kept" }));
            made.expect(201).await;
        }
        let left = async || owner.get(&tokens).expect(200).await.body["items"].clone();
        assert_eq!(left().await.as_array().map(Vec::len), Some(2));
        let path = format!("/api/workspaces/{}/members/{}", owner.workspace, member.id);
        owner.delete(&path).expect(204).await;
        assert_eq!(left().await.as_array().map(Vec::len), Some(1));
        let new = json!({ "new": "a long enough one", "revoke_tokens": true });
        owner
            .post("/api/auth/password")
            .json(&new)
            .expect(204)
            .await;
        assert_eq!(left().await, json!([]));
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_refusal_for_want_of_quota_counts_what_exists() {
    for (gateway, scratch) in on_each(&[]).await {
        let person = gateway.stranger().await;
        for name in ["One", "Two", "Three"] {
            let claw = person.post("/api/claws").json(&json!({ "name": name }));
            claw.expect(201).await;
        }
        let roles: Vec<Value> = (0..3).map(|n| json!({ "slot": format!("r{n}") })).collect();
        let team = json!({ "name": "Crew", "roles": roles });
        let refused = person.post("/api/teams").json(&team);
        let refused = refused.refused(402, "quota-exceeded").await;
        assert_eq!(
            (&refused.body["limit"], &refused.body["used"]),
            (&json!(5), &json!(3)),
            "{}",
            refused.text
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn names_of_agents_are_unique_in_a_workspace_among_those_that_are_there() {
    for (gateway, scratch) in on_each(&[]).await {
        let (owner, elsewhere) = (gateway.owner().await, gateway.stranger().await);
        let create = |by: &Person, name: &str| by.post("/api/claws").json(&json!({ "name": name }));
        let asked = (0..8).map(|_| create(owner, "Ada").send());
        let answers = futures::future::join_all(asked).await;
        let made: Vec<&Answer> = answers.iter().filter(|a| a.status == 201).collect();
        assert_eq!(made.len(), 1, "of many at once one gets the name");
        for refused in answers.iter().filter(|a| a.status != 201) {
            assert_eq!(refused.str("/code"), "name-taken", "{}", refused.text);
            assert_eq!(refused.str("/errors/0/pointer"), "/name");
        }
        create(&elsewhere, "Ada").expect(201).await;
        let bea = create(owner, "Bea").expect(201).await;
        let bea = format!("/api/claws/{}", bea.str("/id"));
        let renamed = owner.patch(&bea).json(&json!({ "name": " Ada " }));
        renamed.refused(409, "name-taken").await;
        let ada = format!("/api/claws/{}", made[0].str("/id"));
        owner.delete(&ada).expect(204).await;
        let renamed = owner.patch(&bea).json(&json!({ "name": "Ada" }));
        renamed.expect(200).await;
        // A team's own names get a number; names that the request gives are refused where they stand.
        let team = json!({ "name": "Crew", "roles": [{ "slot": "coder" }] });
        for _ in 0..2 {
            owner.post("/api/teams").json(&team).expect(201).await;
        }
        let list = owner.get("/api/claws").expect(200).await;
        for name in ["Crew coder", "Crew coder 2"] {
            assert!(list.text.contains(&format!("\"{name}\"")), "{name}");
        }
        let team = json!({ "name": "Other", "roles": [{ "slot": "coder", "name": "Ada" }] });
        let refused = owner.post("/api/teams").json(&team);
        let refused = refused.refused(409, "name-taken").await;
        assert_eq!(refused.str("/errors/0/pointer"), "/roles/0/name");
        over(gateway, scratch).await;
    }
}
