//! First sign-in, linking, admission, roles.

use roost_tests::hosted::{Issuer, seconds_now};
use roost_tests::{Gateway, ScratchPostgres};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::{ME, gateway_with, on_each, over, settings, with};

pub(super) async fn count(gateway: &Gateway, sql: &str) -> i64 {
    let db = gateway.app().db();
    let statement = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(statement).await;
    let row = row.expect("it answers").expect("a row");
    row.try_get_by_index(0).expect("a number")
}

async fn fifty_at_once(gateways: &[&Gateway], token: &str) {
    let asked = (0..50).map(|n| {
        let client = with(gateways[n % gateways.len()], token);
        async move { client.get(ME).send().await }
    });
    let answers = futures::future::join_all(asked).await;
    let ids: std::collections::BTreeSet<&str> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer.status, 200, "{}", answer.text);
            answer.str("/user/id")
        })
        .collect();
    assert_eq!(ids.len(), 1, "one person: {ids:?}");
}

#[tokio::test]
async fn fifty_first_logins_of_one_subject_at_once_make_one_user() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[("auth.per_signup_workspace", "true")]).await {
        let before = count(&gateway, "SELECT count(*) FROM workspaces").await;
        let claims = json!({ "email": "ada@example.com", "email_verified": true });
        fifty_at_once(&[&gateway], &issuer.token("ada", claims)).await;
        let made = "SELECT count(*) FROM users WHERE auth_subject = 'ada'";
        assert_eq!(count(&gateway, made).await, 1);
        let after = count(&gateway, "SELECT count(*) FROM workspaces").await;
        assert_eq!(after - before, 1);
        let me = with(&gateway, &issuer.token("ada", json!({})))
            .get(ME)
            .expect(200)
            .await;
        assert_eq!(
            (me.str("/role"), me.body["operator"].as_bool()),
            ("owner", Some(false))
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn two_replicas_make_one_user() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let issuer = Issuer::start().await;
    let set = settings(&issuer, &[]);
    let one = Gateway::start_like(&set, Some(&scratch)).await;
    let two = Gateway::start_like(&set, Some(&scratch)).await;
    fifty_at_once(
        &[&one, &two],
        &issuer.token("ada", json!({ "role": "member" })),
    )
    .await;
    assert_eq!(
        count(&one, "SELECT count(*) FROM members").await,
        2,
        "the Owner and Ada"
    );
    // A role that one replica learns of is the other's, too.
    let later = json!({ "role": "admin", "iat": seconds_now() + 2 });
    with(&one, &issuer.token("ada", later))
        .get(ME)
        .expect(200)
        .await;
    let older = issuer.token("ada", json!({ "role": "member" }));
    let me = with(&two, &older).get(ME).expect(200).await;
    assert_eq!(me.str("/role"), "admin");
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}

#[tokio::test]
async fn a_local_account_is_linked_by_a_verified_email_and_not_doubled() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[]).await {
        let local = gateway.person("admin").await;
        let says = |verified: Value| json!({ "email": local.email.to_uppercase(), "email_verified": verified });
        for unverified in [json!(false), json!("true"), Value::Null] {
            let token = issuer.token("ada", says(unverified));
            let refused = with(&gateway, &token).get(ME);
            refused.refused(409, "email-not-verified").await;
        }
        let token = issuer.token("ada", says(json!(true)));
        let me = with(&gateway, &token).get(ME).expect(200).await;
        assert_eq!((me.str("/user/id"), me.str("/role")), (&*local.id, "admin"));
        // Afterwards the subject alone counts. Nobody had checked the address of the account, so its sign-ins are over.
        let later = issuer.token("ada", json!({}));
        let me = with(&gateway, &later).get(ME).expect(200).await;
        assert_eq!(me.str("/user/id"), local.id);
        local.get(ME).refused(401, "unauthenticated").await;
        let other = issuer.token("eve", says(json!(true)));
        let refused = with(&gateway, &other).get(ME);
        refused.refused(409, "account-not-linked").await;
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn an_operators_account_is_never_given_away_by_an_email() {
    let issuer = Issuer::start().await;
    let more = [(
        "operators",
        "[\"ops@example.com\", \"owner@roost.localhost\"]",
    )];
    let gateway = gateway_with(&issuer, &more).await;
    gateway.owner().await;
    for (subject, email) in [("a", "owner@roost.localhost"), ("b", "ops@example.com")] {
        let claims = json!({ "email": email, "email_verified": true, "role": "owner" });
        let refused = with(&gateway, &issuer.token(subject, claims)).get(ME);
        refused.refused(409, "account-not-linked").await;
    }
    // An address that nobody verified is not written down, so nothing follows from it.
    let claims = json!({ "email": "ops@example.com", "role": "owner" });
    let me = with(&gateway, &issuer.token("c", claims))
        .get(ME)
        .expect(200)
        .await;
    assert!(me.str("/user/email").ends_with("@hosted.invalid"));
    assert_eq!(me.body["operator"], false);
    gateway.stop().await;
}

#[tokio::test]
async fn without_a_role_claim_users_get_member_and_unknown_domains_are_rejected() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[("auth.admit_domains", "[\"example.com\"]")]).await
    {
        let owner = gateway.owner().await;
        let mail = |email: &str| json!({ "email": email, "email_verified": true });
        let users = "SELECT count(*) FROM users";
        let before = count(&gateway, users).await;
        for (subject, claims) in [
            ("a", json!({})),
            ("b", mail("b@elsewhere.example")),
            ("c", json!({ "email": "c@example.com" })),
            ("d", mail("d@sub.example.com")),
        ] {
            let refused = with(&gateway, &issuer.token(subject, claims)).get(ME);
            refused.refused(403, "not-admitted").await;
        }
        assert_eq!(count(&gateway, users).await, before, "nothing is written");
        let by_domain = with(&gateway, &issuer.token("e", mail("E@Example.com")));
        assert_eq!(by_domain.get(ME).expect(200).await.str("/role"), "member");
        let path = format!("/api/workspaces/{}/invitations", owner.workspace);
        let invitation = json!({ "role": "admin", "email": "b@elsewhere.example" });
        owner.post(&path).json(&invitation).expect(201).await;
        let invited = with(&gateway, &issuer.token("b", mail("b@elsewhere.example")));
        assert_eq!(invited.get(ME).expect(200).await.str("/role"), "member");
        let open = owner.get(&path).expect(200).await;
        assert_eq!(open.body["items"], json!([]), "it was taken");
        let audit = owner.get("/api/audit").expect(200).await.text;
        assert!(
            audit.contains("member.joined") && audit.contains("\"domain\""),
            "{audit}"
        );
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn the_role_is_that_of_the_newest_token_on_every_request() {
    let issuer = Issuer::start().await;
    for (gateway, scratch) in on_each(&issuer, &[]).await {
        let owner = gateway.owner().await;
        let begun = seconds_now() - 100;
        let says = |role: Value, age: i64| {
            let mut claims = role;
            claims["iat"] = json!(begun + age);
            with(&gateway, &issuer.token("ada", claims))
        };
        let role = async |client: roost_tests::Client| {
            let answer = client.get(ME).expect(200).await;
            answer.str("/role").to_owned()
        };
        assert_eq!(role(says(json!({ "role": "viewer" }), 0)).await, "viewer");
        let admin = says(json!({ "role": "admin" }), 10);
        assert_eq!(role(admin.clone()).await, "admin");
        assert_eq!(
            role(says(json!({ "org_role": "org:admin" }), 20)).await,
            "owner"
        );
        // Kept tokens give nothing back.
        assert_eq!(role(says(json!({ "role": "viewer" }), 30)).await, "viewer");
        assert_eq!(role(admin).await, "viewer");
        let write = says(json!({ "role": "viewer" }), 40).post("/api/claws");
        let write = write.json(&json!({ "name": "x" }));
        write.refused(403, "forbidden").await;
        // A claim that is gone takes the place away, and one that comes back gives it again.
        let me = says(json!({}), 50).get(ME).send().await;
        assert_eq!(me.status, 403, "{}", me.text);
        assert_eq!(role(says(json!({ "role": "member" }), 60)).await, "member");
        // Whom people here take out does not come back by the claim that they came with.
        let members = format!("/api/workspaces/{}/members", owner.workspace);
        let list = owner.get(&members).expect(200).await;
        let mut rows = list.body["items"].as_array().unwrap().iter();
        let ada = rows.find(|row| row["role"] == "member").unwrap();
        let id = ada["user"]["id"].as_str().unwrap();
        owner.delete(&format!("{members}/{id}")).expect(204).await;
        let me = says(json!({ "role": "member" }), 70).get(ME).send().await;
        assert_eq!(me.status, 403, "{}", me.text);
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn claims_apply_to_the_first_workspace_even_after_its_deletion() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    // The Owner needs another workspace before the first one may be deleted.
    let other = owner
        .post("/api/workspaces")
        .json(&json!({ "name": "Other" }));
    other.expect(201).await;
    let path = format!("/api/workspaces/{}?confirm=Home", owner.workspace);
    owner.delete(&path).send().await;
    roost_tests::eventually("the first workspace is gone", || async {
        let left = "SELECT count(*) FROM home_workspace";
        (count(&gateway, left).await == 0).then_some(())
    })
    .await;
    let token = issuer.token("ada", json!({ "role": "owner" }));
    let refused = with(&gateway, &token).get(ME);
    refused.refused(403, "not-admitted").await;
    let members = format!("/api/workspaces/{}/members", stranger.workspace);
    let list = stranger.get(&members).expect(200).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 1);
    gateway.stop().await;
}
