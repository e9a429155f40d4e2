//! Operators: the tree, restarts, probes, metrics.

use roost_tests::{Gateway, Machine, Stream, eventually};

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
    let started = |tree: &serde_json::Value| {
        let foundation = tree["root"]["children"][0]["children"].as_array();
        let driver = foundation.expect("children").iter();
        let mut driver = driver.filter(|child| child["name"] == "saga-driver");
        driver.next().expect("it is there")["started_at"].clone()
    };
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

#[tokio::test]
async fn the_tree_is_followed_with_a_snapshot_and_then_what_changes() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let (operator, stranger) = (gateway.owner().await, gateway.stranger().await);
    let mut own = Stream::open(stranger.get("/api/ops/tree/stream")).await;
    let mut all = Stream::open(operator.get("/api/ops/tree/stream")).await;
    let (first, seen) = (all.take(1).await.remove(0), own.take(1).await.remove(0));
    assert_eq!((first.kind.as_str(), first.id), ("tree", None));
    assert!(first.data.to_string().contains("saga-driver"));
    assert!(!seen.data.to_string().contains("saga-driver"), "{seen:?}");

    // A stream that opens is an actor: both followers may see it, each in its own part.
    let events = Stream::open(operator.get("/api/events")).await;
    let arrived = |delta: &serde_json::Value| {
        let changed = delta["changed"].as_array().expect("changes");
        let one = changed
            .iter()
            .find(|change| change["actor"]["name"].to_string().contains("subscriber:"))?;
        assert_eq!(one["parent"], "roost/live");
        Some(one["actor"]["id"].as_str().expect("an id").to_owned())
    };
    let id = loop {
        let delta = all.take(1).await.remove(0);
        assert_eq!(delta.kind, "delta");
        if let Some(id) = arrived(&delta.data) {
            break id;
        }
    };
    drop(events);
    loop {
        let delta = all.take(1).await.remove(0);
        let gone = delta.data["gone"].as_array().expect("gone");
        if gone.iter().any(|one| one == &serde_json::json!(id)) {
            break;
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_follower_whose_session_ends_is_cut_off_and_streams_are_counted_together() {
    let gateway = Gateway::start_with(&[
        ("operators", r#"["owner@roost.localhost"]"#),
        ("limits.streams_per_user", "2"),
    ])
    .await;
    let operator = gateway.owner().await;
    let events = Stream::open(operator.get("/api/events")).await;
    let mut tree = Stream::open(operator.get("/api/ops/tree/stream")).await;
    operator
        .get("/api/ops/tree/stream")
        .refused(429, "too-many-streams")
        .await;
    drop(events);
    operator.post("/api/auth/logout").expect(204).await;
    // The right is looked at with each beat.
    while tree.next().await.is_some() {}
    gateway.stop().await;
}

#[tokio::test]
async fn forbidden_restart_is_refused_with_its_reason_and_not_audited() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let operator = gateway.owner().await;
    let stream = Stream::open(operator.get("/api/events")).await;
    let tree = operator.get("/api/ops/tree").expect(200).await.body;
    let live = tree["root"]["children"]
        .as_array()
        .and_then(|all| all.iter().find(|actor| actor["name"] == "live"))
        .expect("the branch of streams");
    let subscriber = &live["children"][0];
    assert_eq!(
        (&live["restartable"], &subscriber["restartable"]),
        (&true.into(), &false.into())
    );
    let subscriber = subscriber["id"]
        .as_str()
        .expect("an id")
        .replace('/', "%2F");
    for id in ["roost", &subscriber] {
        let refused = operator.post(&format!("/api/ops/actors/{id}/restart"));
        refused.refused(409, "not-restartable").await;
    }
    let audit = operator.get("/api/audit").expect(200).await;
    assert!(!audit.text.contains("actor.restarted"), "{}", audit.text);
    drop(stream);
    gateway.stop().await;
}

#[tokio::test]
async fn an_actor_explains_its_restart_what_it_holds_and_that_nothing_was_lost() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let operator = gateway.owner().await;
    let path = "/api/ops/actors/roost%2Ffoundation%2Fsaga-driver";
    let calm = operator.get(&format!("{path}/explain")).expect(200).await;
    assert!(
        calm.text.contains("has not been restarted"),
        "{}",
        calm.text
    );
    operator.post(&format!("{path}/restart")).expect(202).await;
    let said = eventually("it says that an operator did it", || async {
        let said = operator.get(&format!("{path}/explain")).expect(200).await;
        said.text
            .contains("an operator restarted it")
            .then_some(said)
    })
    .await;
    assert_eq!(said.body["past"][0]["cause"], "operator");
    assert!(
        said.body["lost"][0]
            .as_str()
            .expect("a sentence")
            .contains("nothing")
    );
    // An Owner elsewhere may not even know that it exists.
    let stranger = gateway.stranger().await;
    let hidden = stranger.get(&format!("{path}/explain"));
    hidden.refused(404, "not-found").await;
    gateway.stop().await;
}

#[tokio::test]
async fn chaos_kills_at_a_named_point_where_it_is_allowed_and_nothing_is_lost() {
    let gateway = Gateway::start_with(&[
        ("operators", r#"["owner@roost.localhost"]"#),
        ("chaos.allow", "true"),
    ])
    .await;
    let operator = gateway.owner().await;
    let list = operator.get("/api/ops/chaos").expect(200).await;
    assert_eq!(list.body["allowed"], true);
    let order = |body: serde_json::Value| operator.post("/api/ops/chaos").json(&body);
    let wrong = order(serde_json::json!({ "point": "no.such.point", "action": "panic" }));
    wrong.refused(400, "validation").await;
    let wrong = order(serde_json::json!({ "point": "actor.before_handle", "action": "explode" }));
    wrong.refused(400, "validation").await;

    // The purge of an agent is a saga; its driver dies after the effect and before the row knows.
    let claw = operator
        .post("/api/claws")
        .json(&serde_json::json!({ "name": "doomed" }));
    let id = claw.expect(201).await.str("/id").to_owned();
    order(serde_json::json!({ "point": "sagas.after_effect", "action": "panic" }))
        .expect(202)
        .await;
    operator
        .delete(&format!("/api/claws/{id}?purge=true"))
        .expect(202)
        .await;
    let path = "/api/ops/actors/roost%2Ffoundation%2Fsaga-driver/explain";
    let said = eventually("the driver died and came back", || async {
        let said = operator.get(path).expect(200).await;
        (said.body["actor"]["restarts"] == 1).then_some(said)
    })
    .await;
    assert!(
        said.text.contains("kill point sagas.after_effect"),
        "{}",
        said.text
    );
    eventually("the purge is finished all the same", || async {
        let claws = operator.get("/api/claws").expect(200).await;
        (!claws.text.contains(&id)).then_some(())
    })
    .await;
    operator.delete("/api/ops/chaos").expect(204).await;
    let audit = operator.get("/api/audit").expect(200).await;
    assert!(audit.text.contains("chaos.armed") && audit.text.contains("chaos.disarmed"));
    gateway.stop().await;
}

#[tokio::test]
async fn chaos_is_refused_where_the_configuration_does_not_allow_it() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let operator = gateway.owner().await;
    let body = serde_json::json!({ "point": "actor.before_handle", "action": "abort" });
    let order = operator.post("/api/ops/chaos").json(&body);
    order.refused(403, "chaos-off").await;
    operator
        .delete("/api/ops/chaos")
        .refused(403, "chaos-off")
        .await;
    let list = operator.get("/api/ops/chaos").expect(200).await;
    assert_eq!(list.body["allowed"], false);
    gateway.stop().await;
}

#[tokio::test]
async fn promises_are_listed_with_what_watches_them_and_none_is_broken() {
    let gateway = Gateway::start().await;
    let said = gateway
        .operators()
        .get("/api/ops/promises")
        .expect(200)
        .await;
    let all = said.body["promises"].as_array().expect("promises");
    let made: Vec<&str> = all
        .iter()
        .filter(|one| one["promised"] == true)
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert_eq!(made, ["P1", "P2", "P3", "P6", "P7", "P8"]);
    assert!(all.iter().all(|one| one["broken"] == 0), "{}", said.text);
    gateway.stop().await;
}

#[tokio::test]
async fn the_promises_are_followed_by_operators_alone() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let (operator, stranger) = (gateway.owner().await, gateway.stranger().await);
    let path = "/api/ops/tree/stream?show=promises";
    let mut stream = Stream::open(operator.get(path)).await;
    let first = stream.take(1).await.remove(0);
    let asked = operator.get("/api/ops/promises").expect(200).await;
    assert_eq!(first.kind, "promises");
    assert_eq!(first.data["promises"][0]["id"], "P1", "{first:?}");
    assert_eq!(first.data["since"], asked.body["since"]);

    // A machine that goes away without a word counts for the promise that nothing is destroyed by that.
    let machine = Machine::joined(&gateway, operator).await;
    let defended = |data: &serde_json::Value| {
        let all = data["promises"].as_array().expect("promises");
        let p8 = all.iter().find(|one| one["id"] == "P8").expect("P8");
        p8["defended"].as_u64().expect("a count")
    };
    machine.connect().await.vanish();
    loop {
        let next = stream.take(1).await.remove(0);
        assert_eq!(next.kind, "promises");
        if defended(&next.data) > defended(&first.data) {
            break;
        }
    }
    stranger.get(path).refused(403, "forbidden").await;
    operator
        .get("/api/ops/tree/stream?show=everything")
        .refused(400, "validation")
        .await;
    drop(stream);
    gateway.stop().await;
}

#[tokio::test]
async fn the_operators_listener_tells_nothing_to_pages_of_other_sites_and_to_other_users() {
    let gateway = Gateway::start().await;
    let actor = "/api/ops/actors/roost%2Ffoundation%2Fstream-watch/restart";
    let all = [
        ("GET", "/api/ops/log"),
        ("GET", "/api/ops/tree"),
        ("GET", "/api/ops/tree/stream"),
        ("GET", "/api/ops/promises"),
        ("GET", "/metrics"),
        ("POST", actor),
        ("GET", "/nothing"),
    ];
    let ask = |client: &roost_tests::Client, (method, path): (&str, &str)| {
        client.request(method.parse().expect("a method"), path)
    };
    let (nobody, operators) = (gateway.operators_listener(), gateway.operators());
    // DNS rebinding: the page's own name, and what the browser says of the page.
    for one in all {
        for client in [&nobody, &operators] {
            let rebound = ask(client, one).header("host", "evil.example:17668");
            rebound.refused(403, "forbidden").await;
            let page = ask(client, one).header("origin", "http://evil.example:17668");
            page.refused(403, "forbidden").await;
            let page = ask(client, one).header("sec-fetch-site", "cross-site");
            page.refused(403, "forbidden").await;
        }
        // Another user of this machine.
        ask(&nobody, one).refused(401, "unauthenticated").await;
        let session = nobody.with_token(&gateway.owner().await.token);
        ask(&session, one).refused(401, "unauthenticated").await;
    }
    for probe in ["/healthz", "/readyz"] {
        nobody.get(probe).expect(200).await;
        let rebound = nobody.get(probe).header("host", "evil.example");
        rebound.refused(403, "forbidden").await;
    }
    operators.get("/api/ops/log").expect(200).await;
    operators.post(actor).expect(202).await;
    let file = gateway.data_dir().join("operator-token");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    gateway.stop().await;
}
