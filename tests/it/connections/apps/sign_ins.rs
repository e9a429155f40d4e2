//! A sign-in from its start to the end of the connection.

use std::collections::HashMap;

use roost_tests::{Client, eventually};
use serde_json::{Value, json};

use super::{Bench, CLIENT_SECRET, come_back};

#[tokio::test]
async fn an_agent_is_connected_and_the_token_is_in_the_broker_only() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let agent = bench.agent().await;
        let begun = bench.begin(&agent, json!({})).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        let state = begun.str("/state");
        assert!(
            state.len() == 32
                && state
                    .bytes()
                    .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
            "{state}"
        );
        let url: url::Url = begun.str("/authorize_url").parse().unwrap();
        let asked: HashMap<String, String> = url.query_pairs().into_owned().collect();
        let fixed = [
            ("response_type", "code"),
            ("client_id", "roost-client"),
            ("redirect_uri", "http://roost.test/api/apps/oauth/callback"),
            ("state", state),
            ("scope", "openid"),
            ("code_challenge_method", "S256"),
        ];
        for (name, value) in fixed {
            assert_eq!(asked[name], value, "{name}");
        }
        assert_eq!(asked.len(), fixed.len() + 1, "and the challenge: {asked:?}");

        let back = bench.issuer.allow(url.as_str());
        let (status, to, text) = bench.come_back(&back).await;
        assert_eq!(
            (status, &*to),
            (303, &*format!("/claws/{agent}?app=apps")),
            "{text}"
        );
        let form = bench.issuer.exchanged().remove(0);
        assert_eq!(form["grant_type"], "authorization_code");
        assert_eq!(form["redirect_uri"], asked["redirect_uri"]);
        assert_eq!(form["client_secret"], CLIENT_SECRET, "to its own issuer");

        let listed = bench.connections().await;
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0]["provider"], "github");
        assert_eq!(listed[0]["auth_type"], "oauth");
        assert_eq!(listed[0]["agent_id"], *agent);
        assert_eq!(listed[0]["state"], "ready");
        assert_eq!(listed[0]["renewable"], true);
        assert_eq!(listed[0]["reaches"], json!(["https://api.github.com"]));
        assert!(!Value::from(listed.clone()).to_string().contains("canary"));

        let audit = owner
            .get("/api/audit?action=app.connected")
            .expect(200)
            .await;
        let entry = &audit.body["items"][0];
        assert_eq!(entry["actor"], *owner.id);
        assert_eq!(entry["entity_kind"], "app_connection");
        assert_eq!(entry["entity_id"], listed[0]["id"]);
        assert_eq!(
            entry["details"],
            json!({ "provider": "github", "auth_type": "oauth" })
        );

        // The same address again, as a browser's "back" would.
        let (status, _, text) = bench.come_back(&back).await;
        assert_eq!(status, 404);
        assert!(text.contains("This sign-in is over"), "{text}");
        bench.gateway.stop().await;
    }
}

#[tokio::test]
async fn one_of_a_hundred_concurrent_callbacks_connects() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let begun = bench.begin(&agent, json!({})).await;
        let back = bench.issuer.allow(begun.str("/authorize_url"));
        let gateway = bench.gateway.url();
        let all = (0..100).map(|_| come_back(&gateway, &back));
        let mut counts: HashMap<u16, u32> = HashMap::new();
        for (status, ..) in futures::future::join_all(all).await {
            *counts.entry(status).or_default() += 1;
        }
        assert_eq!(counts, HashMap::from([(303, 1), (404, 99)]));
        assert_eq!(bench.issuer.exchanged().len(), 1);
        assert_eq!(bench.connections().await.len(), 1);
        bench.gateway.stop().await;
    }
}

#[tokio::test]
async fn sign_in_that_cannot_begin_reports_the_reason() {
    let bench = Bench::start().await;
    let agent = bench.agent().await;
    for (more, status, code) in [
        (json!({ "authType": "password" }), 409, "conflict"),
        (json!({ "authType": "mcp_oauth" }), 409, "conflict"),
        (json!({ "provider": "../../x" }), 400, "validation"),
        (json!({ "provider": "" }), 400, "validation"),
        (
            json!({ "clawId": "0190a000-0000-7000-8000-000000000001" }),
            404,
            "not-found",
        ),
        (
            json!({ "authType": "mcp_oauth", "issuerUrl": "no address" }),
            400,
            "validation",
        ),
        (
            json!({ "authType": "mcp_oauth", "issuerUrl": "https://a:b@mcp.example" }),
            400,
            "validation",
        ),
        (
            json!({ "authType": "mcp_oauth", "issuerUrl": "https://169.254.169.254/latest" }),
            400,
            "validation",
        ),
        (
            json!({ "authType": "mcp_oauth", "issuerUrl": "http://mcp.example" }),
            400,
            "validation",
        ),
    ] {
        let refused = bench.begin(&agent, more.clone()).await;
        assert_eq!(refused.status, status, "{more}: {}", refused.text);
        assert_eq!(refused.body["code"], code, "{more}");
    }
    // Somebody else's agent is nobody's.
    let stranger = bench.gateway.stranger().await;
    let body = json!({ "clawId": agent, "provider": "github" });
    stranger
        .post("/api/apps/oauth/start")
        .json(&body)
        .refused(404, "not-found")
        .await;
    bench.gateway.stop().await;

    let bare = roost_tests::Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = bare.owner().await;
    let body = json!({ "clawId": super::agent_of(owner).await, "provider": "github" });
    let refused = owner
        .post("/api/apps/oauth/start")
        .json(&body)
        .refused(409, "conflict")
        .await;
    assert!(
        refused.text.contains("oauth.issuer_url"),
        "{}",
        refused.text
    );
    let options = owner.get("/api/apps/options").expect(200).await;
    assert_eq!(options.body["oauth"], false);
    assert_eq!(options.body["missing"].as_array().unwrap().len(), 3);
    bare.stop().await;
}

#[tokio::test]
async fn unknown_callback_is_404_and_incomplete_one_is_400() {
    let bench = Bench::start().await;
    let callback = |query: &str| format!("{}?{query}", "/api/apps/oauth/callback");
    let nobody: Client = bench.gateway.anonymous();
    let forged = callback("code=x&state=0190a00000007000800000000000ffff");
    nobody.get(&forged).refused(404, "not-found").await;
    nobody
        .get(&callback("code=x&state=../../x"))
        .refused(404, "not-found")
        .await;
    nobody
        .get(&callback("code=x"))
        .refused(400, "validation")
        .await;
    let agent = bench.agent().await;
    let begun = bench.begin(&agent, json!({})).await;
    let half = callback(&format!("state={}", begun.str("/state")));
    nobody.get(&half).refused(400, "validation").await;
    // Another issuer answers than was asked (RFC 9207), and this one said that it always names itself.
    let state = begun.str("/state");
    let mixed = callback(&format!("code=x&state={state}&iss=https://evil.example"));
    nobody.get(&mixed).refused(404, "not-found").await;
    assert!(
        bench.issuer.exchanged().is_empty(),
        "no code was shown to anybody"
    );
    bench.gateway.stop().await;
}

#[tokio::test]
async fn a_person_may_say_no() {
    let bench = Bench::start().await;
    let agent = bench.agent().await;
    let begun = bench.begin(&agent, json!({})).await;
    let back = format!(
        "http://roost.test/api/apps/oauth/callback?error=access_denied&state={}",
        begun.str("/state")
    );
    let (status, to, _) = bench.come_back(&back).await;
    assert_eq!(
        (status, &*to),
        (303, &*format!("/claws/{agent}?app=apps&declined=github"))
    );
    assert_eq!(bench.come_back(&back).await.0, 404, "it is over");
    assert!(bench.connections().await.is_empty());
    bench.gateway.stop().await;
}

#[tokio::test]
async fn a_second_connection_replaces_the_first_and_its_token_is_given_back() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        bench.connect(&agent).await;
        let first = bench.connections().await.remove(0);
        bench.connect(&agent).await;
        let listed = bench.connections().await;
        assert_eq!(listed.len(), 1);
        assert_ne!(listed[0]["id"], first["id"]);
        assert_eq!(
            listed[0]["state"], "ready",
            "the new token is not the one that goes"
        );
        let revoked = eventually("the first token is given back", || async {
            bench.issuer.revoked().into_iter().next()
        })
        .await;
        assert_eq!(revoked["token"], "app-canary-refresh-1");
        assert_eq!(revoked["client_secret"], CLIENT_SECRET);

        let owner = bench.gateway.owner().await;
        let path = format!(
            "/api/apps/connections/{}",
            listed[0]["id"].as_str().unwrap()
        );
        let stranger = bench.gateway.stranger().await;
        stranger.delete(&path).refused(404, "not-found").await;
        owner.delete(&path).expect(204).await;
        owner.delete(&path).refused(404, "not-found").await;
        eventually("the second token is given back", || async {
            (bench.issuer.revoked().len() == 2).then_some(())
        })
        .await;
        assert!(bench.connections().await.is_empty());
        bench.gateway.stop().await;
    }
}

#[tokio::test]
async fn a_deleted_agent_loses_its_connections() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let agent = bench.agent().await;
        bench.connect(&agent).await;
        // Under way while the agent goes.
        let begun = bench.begin(&agent, json!({ "provider": "other" })).await;
        let late = bench.issuer.allow(begun.str("/authorize_url"));
        owner
            .delete(&format!("/api/claws/{agent}"))
            .expect(204)
            .await;
        eventually("its connection is gone", || async {
            bench.connections().await.is_empty().then_some(())
        })
        .await;
        eventually("its token is given back", || async {
            (bench.issuer.revoked().len() == 1).then_some(())
        })
        .await;
        assert_eq!(
            bench.come_back(&late).await.0,
            404,
            "there is nothing to connect"
        );
        assert!(bench.connections().await.is_empty());
        bench.gateway.stop().await;
    }
}

#[tokio::test]
async fn another_persons_link_connects_nothing_for_a_signed_in_person() {
    for bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let begun = bench.begin(&agent, json!({})).await;
        let back = bench.issuer.allow(begun.str("/authorize_url"));
        let back: url::Url = back.parse().unwrap();
        let path = format!("{}?{}", back.path(), back.query().unwrap());
        let victim = bench.gateway.person("member").await;
        victim.get(&path).refused(404, "sign-in-unknown").await;
        assert!(bench.issuer.exchanged().is_empty(), "the code is not used");
        assert!(bench.connections().await.is_empty());
        // Nor can it be tried again.
        let owner = bench.gateway.owner().await;
        owner.get(&path).refused(404, "not-found").await;
        bench.gateway.stop().await;
    }
}
