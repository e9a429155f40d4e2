//! Which bearer tokens are accepted.

use std::time::{Duration, Instant};

use roost_tests::hosted::{Issuer, Key, forged, seconds_now};
use roost_tests::{Gateway, Stream};
use serde_json::json;

use super::{ME, gateway_with, with};

#[tokio::test]
async fn issuers_token_identifies_its_person_and_forged_tokens_are_refused() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let claims = issuer.claims("ada", json!({ "role": "member", "name": "Ada" }));
    let good = Key::number(1).signs(&claims);
    let me = with(&gateway, &good).get(ME).expect(200).await;
    assert_eq!((me.str("/user/name"), me.str("/role")), ("Ada", "member"));
    assert_eq!(me.body["must_set_password"], false);
    for (how, token) in forged(&claims) {
        let answer = with(&gateway, &token).get(ME).send().await;
        assert_eq!(answer.status, 401, "{how}: {}", answer.text);
        assert_eq!(answer.str("/code"), "unauthenticated", "{how}");
    }
    with(&gateway, &good).get(ME).expect(200).await;
    assert_eq!(issuer.key_fetches(), 1);
    gateway.stop().await;
}

#[tokio::test]
async fn both_sides_of_the_leeway_and_of_every_other_rule() {
    let issuer = Issuer::start().await;
    let more = [("auth.audience", "roost")];
    let gateway = gateway_with(&issuer, &more).await;
    let now = seconds_now();
    // Two seconds of room on the good side: the test itself takes time.
    for (changes, good) in [
        (json!({ "exp": now - 2 }), true),
        (json!({ "exp": now - 5 }), false),
        (json!({ "exp": null }), false),
        (json!({ "nbf": now + 5 }), true),
        (json!({ "nbf": now + 60 }), false),
        (json!({ "iat": now + 60 }), false),
        (json!({ "iss": "https://elsewhere.example" }), false),
        (json!({ "iss": format!("{}/", issuer.url()) }), false),
        (json!({ "aud": "other" }), false),
        (json!({ "aud": ["other", "roost"] }), true),
        (json!({ "aud": null }), false),
        (json!({ "sub": "" }), false),
    ] {
        let mut all = json!({ "role": "viewer", "aud": "roost" });
        for (name, value) in changes.as_object().unwrap() {
            all[name] = value.clone();
        }
        let status = with(&gateway, &issuer.token("ada", all))
            .get(ME)
            .send()
            .await
            .status;
        assert_eq!(status, if good { 200 } else { 401 }, "{changes}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn keys_are_rotated_in_mid_flight() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let claims = issuer.claims("ada", json!({ "role": "member" }));
    let by = |number: u8| {
        let client = with(&gateway, &Key::number(number).signs(&claims));
        async move { client.get(ME).send().await.status }
    };
    assert_eq!(by(1).await, 200);
    issuer.publishes(vec![Key::number(1).published(), Key::number(2).published()]);
    let began = Instant::now();
    // The old key goes on to count while the new one is learnt, which the floor delays by a few seconds at most.
    roost_tests::eventually("the new key is learnt", || async {
        assert_eq!(by(1).await, 200);
        (by(2).await == 200).then_some(())
    })
    .await;
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    issuer.publishes(vec![Key::number(2).published()]);
    roost_tests::eventually("the old key is forgotten", || async {
        // An unknown key is what makes the gateway look again.
        by(3).await;
        (by(1).await == 401).then_some(())
    })
    .await;
    assert_eq!(by(2).await, 200);
    gateway.stop().await;
}

#[tokio::test]
async fn ten_thousand_unknown_key_ids_ask_the_issuer_a_bounded_number_of_times() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let claims = issuer.claims("ada", json!({ "role": "member" }));
    let good = with(&gateway, &Key::number(1).signs(&claims));
    good.get(ME).expect(200).await;
    let began = Instant::now();
    let token = Key::number(3).signs(&claims);
    let (_, rest) = token.split_once('.').unwrap();
    let client = gateway.anonymous();
    for round in 0..100 {
        let asked = (0..100).map(|n| {
            use base64::Engine as _;
            let id = format!("{round}-{n}");
            let header = json!({ "alg": "RS256", "kid": id }).to_string();
            let header = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(header);
            let forged = client.with_token(&format!("{header}.{rest}"));
            async move { forged.get(ME).send().await.status }
        });
        let answers = futures::future::join_all(asked).await;
        assert!(answers.iter().all(|status| *status == 401));
        assert_eq!(good.get(ME).send().await.status, 200);
    }
    let most = 2 + began.elapsed().as_secs() / 5;
    let fetches = issuer.key_fetches() as u64;
    assert!(
        fetches <= most,
        "{fetches} fetches in {:?}",
        began.elapsed()
    );
    gateway.stop().await;
}

#[tokio::test]
async fn token_is_refused_without_an_issuer_and_local_accounts_work_with_one() {
    let issuer = Issuer::start().await;
    let token = issuer.token("ada", json!({ "role": "owner" }));
    let local = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let refused = with(&local, &token).get(ME).refused(401, "unauthenticated");
    assert!(refused.await.text.contains("auth.mode"));
    assert_eq!(issuer.key_fetches(), 0);
    local.stop().await;
    let gateway = gateway_with(&issuer, &[]).await;
    gateway.owner().await.get(ME).expect(200).await;
    // Public routes answer whatever the bearer is.
    with(&gateway, "a.b.c").get("/api/setup").expect(200).await;
    gateway.stop().await;
}

#[tokio::test]
async fn streams_end_with_the_token_that_opened_them() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let until = seconds_now() + 3;
    let short = issuer.token("ada", json!({ "role": "member", "exp": until }));
    let long = issuer.token("bea", json!({ "role": "member" }));
    let mut ends = Stream::open(with(&gateway, &short).get("/api/events")).await;
    let mut stays = Stream::open(with(&gateway, &long).get("/api/events")).await;
    // What is told until then is that Bea came.
    while ends.next().await.is_some() {}
    let ended = seconds_now();
    assert!((until..=until + 1).contains(&ended), "{ended} for {until}");
    let made = with(&gateway, &long).post("/api/claws");
    made.json(&json!({ "name": "x" })).expect(201).await;
    assert!(stays.next().await.is_some());
    gateway.stop().await;
}

#[tokio::test]
async fn a_token_makes_no_successor_and_changes_no_sign_in() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let ada = with(&gateway, &issuer.token("ada", json!({ "role": "owner" })));
    let label = json!({ "label": "successor" });
    let token = ada.post("/api/auth/sessions").json(&label);
    token.refused(403, "forbidden").await;
    let password = json!({ "new": "a long enough password" });
    let set = ada.post("/api/auth/password").json(&password);
    set.refused(403, "forbidden").await;
    ada.post("/api/auth/logout").refused(409, "conflict").await;
    // What changes things works as for everybody, with an idempotency key as well.
    let body = json!({ "name": "x" });
    for _ in 0..2 {
        let make = ada.post("/api/claws").header("idempotency-key", "k");
        make.json(&body).expect(201).await;
    }
    let claws = ada.get("/api/claws").expect(200).await;
    assert_eq!(claws.body["items"].as_array().unwrap().len(), 1);
    gateway.stop().await;
}
