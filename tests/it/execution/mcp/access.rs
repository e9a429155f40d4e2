//! Access: an agent's token in the header, the gateway's own host names, a limited rate; and how tokens are made and
//! revoked.

use roost_tests::Gateway;
use serde_json::json;

use super::{agent_with_token, send};

const SERVERS: [&str; 3] = ["/mcp/skills", "/mcp/sandbox", "/mcp/repo"];

async fn gateway() -> Gateway {
    Gateway::start_with(&[("sandboxes.local", "off")]).await
}

#[tokio::test]
async fn only_a_living_agents_own_token_in_the_header_opens_anything() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let (agent, token) = agent_with_token(owner).await;
    let nobody = gateway.anonymous();
    let list =
        |client: &roost_tests::Client, path: &str| send(client, path, "tools/list", json!({}));
    for path in SERVERS {
        let answer = list(&nobody, path).refused(401, "unauthenticated").await;
        assert_eq!(answer.header("www-authenticate"), r#"Bearer realm="roost""#);
        // A person's session, a made-up one, and the token anywhere but in the header.
        for client in [
            nobody.with_token(&owner.token),
            nobody.with_token("rat_made-up"),
        ] {
            let answer = list(&client, path).refused(401, "unauthenticated").await;
            assert_eq!(
                answer.header("www-authenticate"),
                r#"Bearer realm="roost", error="invalid_token""#
            );
        }
        let query = format!("{path}?access_token={token}&token={token}");
        list(&nobody, &query).refused(401, "unauthenticated").await;
        // Who is nobody learns nothing of what is wrong with the rest of the request.
        nobody
            .post(path)
            .body("{")
            .refused(401, "unauthenticated")
            .await;
        list(&nobody, path)
            .header("host", "evil.example")
            .refused(401, "unauthenticated")
            .await;
        list(&nobody.with_token(&token), path).expect(200).await;
        gateway.anonymous().get(path).expect(405).await;
    }
    // The token opens no other route.
    let agents = nobody.with_token(&token);
    agents
        .get("/api/claws")
        .refused(401, "unauthenticated")
        .await;

    // Another agent's token cannot be revoked through this one, and a stranger sees none of them.
    let (other, _) = agent_with_token(owner).await;
    let tokens = format!("/api/claws/{agent}/tokens");
    let listed = owner.get(&tokens).expect(200).await;
    let id = listed.str("/items/0/id").to_owned();
    assert_eq!(listed.str("/items/0/label"), "its runtime");
    assert!(listed.body["items"][0]["last_used_at"].is_string());
    assert!(
        !listed.body.to_string().contains("rat_") && !listed.body.to_string().contains("sha256")
    );
    owner
        .delete(&format!("/api/claws/{other}/tokens/{id}"))
        .refused(404, "not-found")
        .await;
    owner.delete(&format!("{tokens}/{id}")).expect(204).await;
    list(&agents, SERVERS[0])
        .refused(401, "unauthenticated")
        .await;
    owner
        .delete(&format!("{tokens}/{id}"))
        .refused(404, "not-found")
        .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_token_is_dead_with_its_agent_and_is_shown_once() {
    for (gateway, _scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let (agent, token) = agent_with_token(owner).await;
        let client = gateway.anonymous().with_token(&token);
        send(&client, "/mcp/skills", "tools/list", json!({}))
            .expect(200)
            .await;
        let make = |key: &str| {
            owner
                .post(&format!("/api/claws/{agent}/tokens"))
                .header("idempotency-key", key)
                .json(&json!({ "label": "twice", "expires_in_days": 1 }))
        };
        make("the same key").expect(201).await;
        make("the same key").refused(409, "already-answered").await;
        for (body, pointer) in [
            (json!({ "label": " " }), "/label"),
            (json!({ "label": "x".repeat(101) }), "/label"),
            (
                json!({ "label": "x", "expires_in_days": 366 }),
                "/expires_in_days",
            ),
        ] {
            let refused = owner
                .post(&format!("/api/claws/{agent}/tokens"))
                .json(&body)
                .refused(400, "validation")
                .await;
            assert_eq!(refused.str("/pointer"), pointer);
        }
        for _ in 2..20 {
            owner
                .post(&format!("/api/claws/{agent}/tokens"))
                .json(&json!({ "label": "more" }))
                .expect(201)
                .await;
        }
        owner
            .post(&format!("/api/claws/{agent}/tokens"))
            .json(&json!({ "label": "too many" }))
            .refused(409, "conflict")
            .await;
        let audit = owner.get("/api/audit?limit=200").expect(200).await;
        let text = audit.body.to_string();
        assert_eq!(text.matches("agent_token.created").count(), 20, "{text}");
        assert!(!text.contains("rat_"));
        owner
            .delete(&format!("/api/claws/{agent}"))
            .expect(204)
            .await;
        send(&client, "/mcp/skills", "tools/list", json!({}))
            .refused(401, "unauthenticated")
            .await;
        owner
            .post(&format!("/api/claws/{agent}/tokens"))
            .json(&json!({ "label": "late" }))
            .refused(404, "not-found")
            .await;
        // Purged with all that it has, tokens too: the foreign key would hold the agent otherwise.
        owner
            .delete(&format!("/api/claws/{agent}?purge=true"))
            .expect(202)
            .await;
        roost_tests::eventually("the agent is gone", async || {
            let answer = owner.get(&format!("/api/claws/{agent}")).send().await;
            (answer.status == 404).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test]
async fn an_ended_token_opens_nothing_and_is_not_listed() {
    use roost_execution::tools::tokens::{entity, store};
    use sea_orm::EntityTrait;
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let (agent, token) = agent_with_token(owner).await;
    let db = gateway.app().db();
    let row = entity::Entity::find()
        .one(db.read())
        .await
        .expect("a read")
        .expect("a row");
    let after = row.expires_at;
    let before = after - std::time::Duration::from_secs(1);
    let hash = roost_tenancy::auth::sha256_hex(&token);
    let at = async |when| {
        let found = store::by_token(db.read(), &hash, when).await;
        found.expect("a read").is_some()
    };
    assert!(at(before).await && !at(after).await);
    assert_eq!(row.token_sha256, hash, "only the hash is kept");
    assert_eq!(row.agent_id.to_string(), agent);
    gateway.stop().await;
}

#[tokio::test]
async fn other_names_and_pages_of_other_sites_are_refused() {
    let gateway = Gateway::start_with(&[
        ("sandboxes.local", "off"),
        ("public_url", "https://roost.example"),
    ])
    .await;
    let (_, token) = agent_with_token(gateway.owner().await).await;
    let client = gateway.anonymous().with_token(&token);
    let list = || send(&client, "/mcp/skills", "tools/list", json!({}));
    for (header, value, status) in [
        ("host", "evil.example", 403),
        ("host", "roost.example.evil.example", 403),
        ("host", "roost.example", 200),
        ("host", "localhost:9", 200),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "https://roost.example", 200),
        ("origin", "http://roost.example", 403),
        ("origin", "http://localhost:5173", 200),
    ] {
        let answer = list().header(header, value).send().await;
        assert_eq!(answer.status, status, "{header}: {value}: {}", answer.body);
    }
    gateway.stop().await;
}

#[tokio::test]
async fn an_agent_may_ask_so_often_and_holds_up_no_other() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let (_, token) = agent_with_token(owner).await;
    let client = gateway.anonymous().with_token(&token);
    let mut refused = None;
    for number in 1..=200 {
        let answer = send(&client, "/mcp/skills", "tools/list", json!({}))
            .send()
            .await;
        if answer.status == 429 {
            refused = Some((number, answer));
            break;
        }
        assert_eq!(answer.status, 200);
    }
    let (number, answer) = refused.expect("at some time it is too often");
    assert!(number > 120, "refused at the {number}th");
    assert!(
        answer
            .header("retry-after")
            .parse::<u64>()
            .expect("seconds")
            >= 1
    );
    let (_, other) = agent_with_token(owner).await;
    let other = gateway.anonymous().with_token(&other);
    send(&other, "/mcp/skills", "tools/list", json!({}))
        .expect(200)
        .await;
    gateway.stop().await;
}
