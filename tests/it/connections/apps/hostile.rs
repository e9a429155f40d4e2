//! Issuers that lie, are slow or send too much, and a broker that is away. The person gets a clear error, and no
//! connection is made.

use serde_json::{Value, json};

use super::{Bench, CLIENT_SECRET};

/// What the metadata say, and whether a sign-in is begun with them.
#[tokio::test]
async fn metadata_that_lie_are_an_internal_error_without_detail() {
    let bench = Bench::start().await;
    let agent = bench.agent().await;
    for metadata in [
        json!({ "issuer": "https://login.example" }),
        json!({ "issuer": null }),
        json!({ "token_endpoint": null }),
        json!({ "token_endpoint": "https://169.254.169.254/latest/api/token" }),
        json!({ "authorization_endpoint": "javascript:alert(1)" }),
        json!({ "authorization_endpoint": "http://10.0.0.1/authorize" }),
        json!({ "code_challenge_methods_supported": ["plain"] }),
    ] {
        bench.issuer.metadata(metadata.clone());
        let refused = bench.begin(&agent, json!({})).await;
        assert_eq!(refused.status, 500, "{metadata}: {}", refused.text);
        assert_eq!(refused.body["code"], "internal");
        assert!(!refused.text.contains("issuer"), "{}", refused.text);
    }
    bench.issuer.metadata(json!({}));
    let discovery = "/.well-known/openid-configuration";
    for (status, body) in [
        (500, String::new()),
        (200, "<html>".to_owned()),
        (200, "[]".to_owned()),
        // Not followed, and the metadata address of clouds is not asked.
        (302, "http://169.254.169.254/latest/meta-data".to_owned()),
        (200, "x".repeat(50 << 20)),
    ] {
        bench.issuer.answer(discovery, status, body);
        let refused = bench.begin(&agent, json!({})).await;
        assert_eq!(refused.status, 500, "{status}: {}", refused.text);
    }
    assert!(bench.connections().await.is_empty());
    bench.gateway.stop().await;
}

#[tokio::test]
async fn an_exchange_that_fails_connects_nothing_and_is_explained_to_a_person() {
    let bench = Bench::start().await;
    let agent = bench.agent().await;
    for (status, body) in [
        (400, json!({ "error": "invalid_client" }).to_string()),
        (200, json!({ "token_type": "bearer" }).to_string()),
        (500, "app-canary-access-9".to_owned()),
    ] {
        let begun = bench.begin(&agent, json!({})).await;
        let back = bench.issuer.allow(begun.str("/authorize_url"));
        bench.issuer.answer("/token", status, body);
        let (status, _, text) = bench.come_back(&back).await;
        assert_eq!(status, 500);
        assert!(text.contains("could not be connected"), "{text}");
        assert!(
            !text.contains("canary") && !text.contains("invalid_client"),
            "{text}"
        );
        assert_eq!(bench.come_back(&back).await.0, 404, "the state is used up");
    }
    assert!(bench.connections().await.is_empty());
    bench.gateway.stop().await;
}

/// An MCP server has its own issuer, and that one never sees the deployment's secret.
#[tokio::test]
async fn another_issuer_gets_a_public_client() {
    let bench = Bench::start().await;
    let agent = bench.agent().await;
    let other = roost_tests::Issuer::start().await;
    // A server without OpenID metadata that names its authorization server.
    let server = roost_tests::Issuer::start().await;
    let named: Value = json!({ "authorization_servers": [other.url()] });
    server.answer(
        "/.well-known/oauth-protected-resource/mcp",
        200,
        named.to_string(),
    );
    let wanted = format!("{}/mcp", server.url());
    let more = json!({ "provider": "tools", "authType": "mcp_oauth", "issuerUrl": wanted });
    server.answer("/mcp/.well-known/openid-configuration", 404, "");
    let begun = bench.begin(&agent, more).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    assert!(begun.str("/authorize_url").starts_with(&other.url()));
    let (status, to, text) = bench
        .come_back(&other.allow(begun.str("/authorize_url")))
        .await;
    assert_eq!(
        (status, &*to),
        (303, &*format!("/claws/{agent}?app=apps")),
        "{text}"
    );
    let form = other.exchanged().remove(0);
    assert!(!form.contains_key("client_secret"), "{form:?}");
    assert_eq!(form["resource"], wanted);
    let listed = bench.connections().await;
    assert_eq!(listed[0]["auth_type"], "mcp_oauth");
    assert_eq!(listed[0]["reaches"], json!([server.url()]));
    assert!(!format!("{form:?}").contains(CLIENT_SECRET));
    bench.gateway.stop().await;
}

#[tokio::test]
async fn without_its_broker_nothing_begins_and_what_is_there_is_shown() {
    let mut bench = Bench::start().await;
    let agent = bench.agent().await;
    bench.connect(&agent).await;
    let begun = bench.begin(&agent, json!({ "provider": "other" })).await;
    let back = bench.issuer.allow(begun.str("/authorize_url"));
    bench.broker.kill();
    let listed = bench.connections().await;
    assert_eq!(listed[0]["state"], "unknown");
    let refused = bench.begin(&agent, json!({})).await;
    assert_eq!(refused.status, 500, "{}", refused.text);
    let (status, _, text) = bench.come_back(&back).await;
    assert_eq!(status, 500, "{text}");
    assert_eq!(bench.connections().await.len(), 1);
    bench.gateway.stop().await;
}
