//! Operators: the tree, restarts, probes, metrics.

use roost_tests::{Gateway, Stream, eventually};

#[tokio::test]
async fn operators_see_the_whole_tree_and_an_owner_only_the_own_branch() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let (operator, stranger) = (gateway.owner().await, gateway.stranger().await);
    let stream = Stream::open(operator.get("/api/events")).await;
    let all = operator.get("/api/ops/tree").expect(200).await;
    assert!(all.text.contains("roost/http/public") && all.text.contains(&operator.email));
    let own = stranger.get("/api/ops/tree").expect(200).await;
    assert!(!own.text.contains("roost/http/public") && !own.text.contains(&operator.email));
    let text = gateway
        .operators()
        .get("/api/ops/tree?format=text")
        .expect(200)
        .await;
    assert!(text.text.contains("saga-driver"), "{}", text.text);
    let dot = operator.get("/api/ops/tree?format=dot").expect(200).await;
    assert!(dot.text.starts_with("digraph"), "{}", dot.text);
    operator
        .get("/api/ops/tree?format=xml")
        .refused(400, "validation")
        .await;
    drop(stream);
    gateway.stop().await;
}

#[tokio::test]
async fn an_actor_is_restarted_and_the_audit_log_says_by_whom() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let operator = gateway.owner().await;
    let path = "/api/ops/actors/roost%2Ffoundation%2Fsaga-driver/restart";
    let started =
        |tree: &serde_json::Value| tree["root"]["children"][0]["children"][0]["started_at"].clone();
    let before = started(&operator.get("/api/ops/tree").expect(200).await.body);
    operator.post(path).expect(202).await;
    eventually("the actor has started anew", || async {
        let tree = operator.get("/api/ops/tree").expect(200).await.body;
        (started(&tree) != before).then_some(())
    })
    .await;
    let audit = operator.get("/api/audit").expect(200).await;
    assert!(audit.text.contains("actor.restarted") && audit.text.contains(&operator.id));
    let missing = operator.post("/api/ops/actors/roost%2Fnobody/restart");
    missing.refused(404, "not-found").await;
    gateway.stop().await;
}

#[tokio::test]
async fn probes_and_metrics_answer_on_the_operators_listener_and_pages_of_others_do_not_reach_it() {
    let gateway = Gateway::start().await;
    let operators = gateway.operators();
    operators.get("/healthz").expect(200).await;
    operators.get("/readyz").expect(200).await;
    gateway.anonymous().get("/readyz").expect(200).await;
    let metrics = operators.get("/metrics").expect(200).await;
    for name in [
        "roost_http_requests_total",
        "roost_actors",
        "# HELP",
        "# TYPE",
    ] {
        assert!(metrics.text.contains(name), "{name}");
    }
    let forged = operators
        .post("/api/ops/actors/roost%2Flive/restart")
        .header("origin", "https://evil.example");
    forged.refused(403, "forbidden").await;
    gateway.stop().await;
}
