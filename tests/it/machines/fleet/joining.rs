//! Pairing, join codes, tokens.

use std::sync::Arc;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::clock::{Clock, SystemClock, TestClock};
use roost_protocol::frame::ToGateway;
use roost_protocol::vitals::{Heartbeat, NodeTools, Tool};
use roost_tests::{Gateway, Machine, Store, eventually};
use serde_json::json;

use super::gateway;

#[tokio::test]
async fn a_machine_that_is_paired_joins_connects_and_is_seen_with_its_health_and_tools() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let paired = owner
        .post("/api/nodes/pair")
        .json(&json!({ "name": "kitchen" }))
        .expect(201)
        .await;
    assert_eq!(paired.str("/node/status"), "pending");
    for line in ["/install/linux", "/install/with_checksum", "/command"] {
        assert!(
            paired.str(line).contains(paired.str("/join_code")),
            "{line}"
        );
    }
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    connection
        .send(ToGateway::Heartbeat(Heartbeat {
            hostname: "played".into(),
            cpu_pct: Some(12.5),
            local_ip: Some("10.0.0.7".into()),
            ..Heartbeat::default()
        }))
        .await;
    let docker = Tool {
        tool: "docker".into(),
        version: "20.10.24".into(),
    };
    connection
        .send(ToGateway::NodeTools(NodeTools {
            tools: vec![docker],
        }))
        .await;
    // Its load is known at once, its row a moment later.
    let node = eventually("the heartbeat is shown", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.body["health"].is_object() && node.body["local_ip"].is_string()).then_some(node)
    })
    .await;
    assert_eq!(node.str("/status"), "online");
    assert_eq!(node.str("/connection"), "connected");
    assert_eq!(node.str("/local_ip"), "10.0.0.7");
    assert_eq!(node.body["health"]["cpu_pct"], 12.5);
    assert!(
        node.body.get("gpu_pct").is_none() && node.body["health"].get("cores").is_none(),
        "what is not known is absent: {}",
        node.text
    );
    assert_eq!(node.str("/workspace_id"), owner.workspace);
    let tools = eventually("its tools are shown", async || {
        let tools = owner.get(&machine.path("/tools")).expect(200).await;
        let known = tools.body["items"].as_array()?.len();
        (known > 0).then_some(tools)
    })
    .await;
    assert_eq!(tools.body["items"][0]["tool"], "docker");
    assert_eq!(tools.body["items"][1]["mirrors"], "docker");
    assert_eq!(tools.body["items"].as_array().map(Vec::len), Some(2));
    connection.vanish();
    eventually("it is shown offline", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.str("/status") == "offline").then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_join_code_is_redeemed_by_one_token_which_may_ask_again() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let paired = owner
        .post("/api/nodes/pair")
        .json(&json!({}))
        .expect(201)
        .await;
    let code = paired.str("/join_code");
    let (first, second) = (Machine::unpaired(), Machine::unpaired());
    let join = |machine: &Machine, code: &str| {
        gateway
            .anonymous()
            .post("/api/nodes/join")
            .json(&machine.join_request(code))
    };
    join(&first, "0000-0000-0000-0000")
        .refused(404, "join-code-unknown")
        .await;
    let once = join(&first, code).expect(200).await;
    let again = join(&first, &code.to_lowercase()).expect(200).await;
    assert_eq!(once.body, again.body, "a crash burns nothing");
    join(&second, code).refused(409, "join-code-used").await;
    // The same token on another node would let two machines be one.
    let other = owner
        .post("/api/nodes/pair")
        .json(&json!({}))
        .expect(201)
        .await;
    join(&first, other.str("/join_code"))
        .refused(409, "conflict")
        .await;
    for (field, value) in [
        ("code", json!("")),
        ("token_sha256", json!("ABC")),
        ("install_id", json!("x")),
    ] {
        let mut body = first.join_request(code);
        body[field] = value;
        let answer = gateway.anonymous().post("/api/nodes/join").json(&body);
        let answer = answer.refused(400, "validation").await;
        assert_eq!(answer.str("/pointer"), format!("/{field}"));
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_join_code_lives_ten_minutes() {
    let clock = TestClock::at(SystemClock.now());
    let around = Surroundings {
        clock: Arc::new(clock.clone()),
        ..Surroundings::default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let set = [("sandboxes.local", "off")];
    let gateway = Gateway::start_in(folder, &Store::Sqlite, &set, around)
        .await
        .expect("the gateway starts");
    let owner = gateway.owner().await;
    let paired = owner
        .post("/api/nodes/pair")
        .json(&json!({}))
        .expect(201)
        .await;
    let machine = Machine::unpaired();
    clock.advance(Duration::from_secs(601));
    gateway
        .anonymous()
        .post("/api/nodes/join")
        .json(&machine.join_request(paired.str("/join_code")))
        .refused(404, "join-code-unknown")
        .await;
    gateway.stop().await;
}

#[tokio::test]
async fn only_a_token_that_is_alive_opens_the_channel() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let wrong = Machine {
        token: rand::random(),
        ..machine.clone()
    };
    assert_eq!(wrong.dial().await.err(), Some(401));
    let mut connection = machine.connect().await;
    owner.delete(&machine.path("")).expect(202).await;
    assert_eq!(
        machine.dial().await.err(),
        Some(401),
        "dead with the answer"
    );
    connection.closed().await;
    owner.get(&machine.path("")).refused(404, "not-found").await;
    owner
        .delete(&machine.path(""))
        .refused(404, "not-found")
        .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_may_remove_itself_by_its_token() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let leave = |token: [u8; 32]| {
        gateway
            .anonymous()
            .with_token(&hex::encode(token))
            .post("/api/nodes/leave")
    };
    leave(rand::random()).refused(401, "unauthenticated").await;
    leave(machine.token).expect(202).await;
    owner.get(&machine.path("")).refused(404, "not-found").await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_pairing_answer_is_never_repeated() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let pair = || {
        owner
            .post("/api/nodes/pair")
            .header("idempotency-key", "once")
            .json(&json!({}))
    };
    pair().expect(201).await;
    pair().refused(409, "already-answered").await;
    gateway.stop().await;
}
