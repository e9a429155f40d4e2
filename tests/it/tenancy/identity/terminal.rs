//! `roost login` by a code that a person confirms on the page.

use roost_tests::hosted::Issuer;
use roost_tests::{Answer, Client, Gateway};
use serde_json::json;

use super::{ME, gateway_with, with};

async fn begins(gateway: &Gateway) -> Answer {
    let begin = gateway.anonymous().post("/api/auth/device");
    let device = json!({ "device": "roost on desk\u{1b}[31m" });
    let refused = gateway.anonymous().post("/api/auth/device").json(&device);
    refused.refused(400, "validation").await;
    begin
        .json(&json!({ "device": "roost on desk" }))
        .expect(200)
        .await
}

fn asks(gateway: &Gateway, begun: &Answer) -> roost_tests::Request {
    let body = json!({ "device_code": begun.str("/device_code") });
    gateway
        .anonymous()
        .post("/api/auth/device/token")
        .json(&body)
}

fn confirms(person: &Client, code: &str) -> roost_tests::Request {
    let body = json!({ "code": code });
    person.post("/api/auth/device/confirm").json(&body)
}

#[tokio::test]
async fn terminal_is_signed_in_once_by_a_code_that_is_confirmed_once() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let member = gateway.person("member").await;
        let begun = begins(&gateway).await;
        let code = begun.str("/code");
        assert_eq!(begun.str("/page"), format!("/device#{code}"));
        asks(&gateway, &begun).expect(202).await;
        let look = member.post("/api/auth/device/look");
        let typed = code.replace('-', " ").to_lowercase();
        let seen = look.json(&json!({ "code": typed })).expect(200).await;
        assert_eq!(seen.str("/device"), "roost on desk");
        assert_eq!(seen.str("/from_address"), "127.0.0.1");
        let twice = [confirms(&member, code), confirms(&member, code)];
        let answers = futures::future::join_all(twice.map(roost_tests::Request::send)).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 404]);
        let all = (0..20).map(|_| asks(&gateway, &begun).send());
        let answers = futures::future::join_all(all).await;
        let tokens: Vec<&Answer> = answers.iter().filter(|one| one.status == 200).collect();
        assert_eq!(tokens.len(), 1, "one session");
        let me = with(&gateway, tokens[0].str("/token"))
            .get(ME)
            .expect(200)
            .await;
        assert_eq!(me.str("/user/id"), member.id);
        let rows = "SELECT count(*) FROM login_codes";
        assert_eq!(super::people::count(&gateway, rows).await, 0);
        super::over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn tokens_of_a_session_end_with_it_and_programs_confirm_nothing() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let member = gateway.person("member").await;
    let token = member
        .post("/api/auth/sessions")
        .json(&json!({ "label": "ci" }));
    let program = with(&gateway, token.expect(201).await.str("/token"));
    let hosted = with(&gateway, &issuer.token("ada", json!({ "role": "member" })));
    let begun = begins(&gateway).await;
    for nobody in [&program, &hosted] {
        let refused = confirms(nobody, begun.str("/code"));
        refused.refused(403, "forbidden").await;
    }
    confirms(&member, begun.str("/code")).expect(204).await;
    let made = asks(&gateway, &begun).expect(200).await;
    let list = member.get("/api/auth/sessions").expect(200).await;
    let all = list.body["items"].as_array().unwrap();
    let end = |id: &str| {
        let row = all.iter().find(|row| row["id"] == id).unwrap();
        row["expires_at"].as_str().unwrap()[..19].to_owned()
    };
    let (first, last) = (
        all[0]["id"].as_str().unwrap(),
        all[all.len() - 1]["id"].as_str().unwrap(),
    );
    assert_eq!(end(first), end(last), "the terminal's and the page's");
    assert!(made.str("/token").starts_with("rst_"));
    gateway.stop().await;
}

#[tokio::test]
async fn guessed_codes_are_throttled() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let member = gateway.person("member").await;
    let begun = begins(&gateway).await;
    for _ in 0..10 {
        let guess = confirms(&member, "BBBB-BBBB");
        guess.refused(404, "sign-in-unknown").await;
    }
    let closed = confirms(&member, begun.str("/code"));
    closed.refused(429, "too-many-attempts").await;
    // A terminal with a secret of its own invention waits for nothing.
    let body = json!({ "device_code": "rdc_made-up" });
    let asked = gateway
        .anonymous()
        .post("/api/auth/device/token")
        .json(&body);
    asked.refused(404, "sign-in-unknown").await;
    gateway.stop().await;
}
