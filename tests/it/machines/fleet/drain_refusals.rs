//! A drain that moves sandboxes never ends one whose files could not be saved: machines that refuse, an older daemon, and
//! a snapshot that does not reach the gateway.

use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{ErrorKind, OperationError, Outcome, Report, Terminal};
use roost_protocol::snapshot::Stored;
use roost_tests::machine::{Connection, ended};
use roost_tests::{Client, Machine, eventually};
use serde_json::{Value, json};

use super::gateway;

/// A machine that knows `sb_flush`, or one with an older daemon.
async fn connected(machine: &Machine, flush: bool) -> Connection {
    let mut connection = machine.dial().await.expect("the token is known");
    let mut hello = machine.hello(Inventory::default());
    hello.capabilities.flush = flush;
    connection.greet(hello).await.expect("a welcome");
    connection
}

/// An agent with a sandbox on the machine.
async fn sandbox_on(
    owner: &Client,
    machine: &Machine,
    connection: &mut Connection,
) -> (String, OperationRequest) {
    let name = json!({ "name": roost_tests::unique("agent") });
    let made = owner.post("/api/claws").json(&name).expect(201).await;
    let sandbox = format!("/api/claws/{}/sandbox", made.str("/id"));
    let here = json!({ "node_id": machine.node_id });
    let (_, request) = tokio::join!(owner.post(&sandbox).json(&here).expect(201), async {
        let request = connection.operation().await;
        connection.made(&request).await;
        request
    });
    probed(connection).await;
    (sandbox, request)
}

/// Ends the command that reads the hardening of a new sandbox: a drain waits for each command.
async fn probed(connection: &mut Connection) {
    let request = connection.operation().await;
    assert!(
        matches!(request.operation, Operation::SbExec(_)),
        "{request:?}"
    );
    let error = OperationError::new(ErrorKind::Internal, "there is no probe here");
    let end = ended(Terminal::Failed, Outcome::Error { error });
    connection.report(request.id, Report::Accepted).await;
    connection.report(request.id, Report::Ended(end)).await;
}

async fn waiting(owner: &Client, machine: &Machine, for_what: &str) -> Value {
    eventually(for_what, async || {
        let progress = owner
            .get(&machine.path("/drain-progress"))
            .expect(200)
            .await;
        let one = progress.body["sandboxes"][0].clone();
        (one["waits_for"] == for_what).then_some(one)
    })
    .await
}

/// The next request to save files. The machine is never asked to end a sandbox before.
async fn asked_to_save(connection: &mut Connection) -> OperationRequest {
    loop {
        let request = connection.operation().await;
        match &request.operation {
            Operation::SbFlush(_) => return request,
            Operation::SbDestroy(_) => panic!("the sandbox ends without its files: {request:?}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn sandbox_stays_while_its_files_cannot_be_saved_or_sent() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = connected(&machine, true).await;
    let (sandbox, request) = sandbox_on(owner, &machine, &mut connection).await;
    let Operation::SbProvision(asked) = request.operation else {
        panic!("another operation was requested");
    };
    let moved = owner.post(&machine.path("/drain"));
    moved.json(&json!({ "move": true })).expect(200).await;

    let request = asked_to_save(&mut connection).await;
    let error = OperationError::new(ErrorKind::DiskFull, "the disk is full");
    let end = ended(Terminal::Failed, Outcome::Error { error });
    connection.report(request.id, Report::Accepted).await;
    connection.report(request.id, Report::Ended(end)).await;
    let one = waiting(owner, &machine, "next_try").await;
    let detail = one["detail"].as_str().expect("a text");
    assert!(
        detail.contains("the disk is full. The sandbox stays"),
        "{detail}"
    );

    // The next attempt succeeds, but the gateway never gets the chunks.
    let request = asked_to_save(&mut connection).await;
    let snapshot = Stored {
        sandbox: asked.spec.sandbox,
        workspace: asked.spec.workspace,
        agent: asked.spec.agent,
        digest: "0c".repeat(32),
        files: 3,
        bytes: 4096,
        taken_at_s: 1_700_000_000,
        left_out: Vec::new(),
    };
    let stored = ControlReply::Stored {
        snapshot: snapshot.clone(),
    };
    connection.send(ToGateway::Reply(stored)).await;
    let end = ended(Terminal::Done, Outcome::Flushed { snapshot });
    connection.report(request.id, Report::Accepted).await;
    connection.report(request.id, Report::Ended(end)).await;
    waiting(owner, &machine, "upload").await;
    let progress = owner
        .get(&machine.path("/drain-progress"))
        .expect(200)
        .await;
    assert_eq!(progress.body["unsaved"].as_array().map(Vec::len), Some(1));
    let state = owner.get(&sandbox).expect(200).await;
    assert_eq!(state.str("/state"), "running");
    // Draining without the move asks for nothing more, and the sandbox stays.
    owner.post(&machine.path("/drain")).expect(200).await;
    let request = asked_to_save(&mut connection).await;
    assert!(matches!(request.operation, Operation::SbFlush(_)));
    let state = owner.get(&sandbox).expect(200).await;
    assert_eq!(state.str("/state"), "running");
    gateway.stop().await;
}

#[tokio::test]
async fn older_daemon_keeps_its_sandboxes_and_the_reason_is_shown() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = connected(&machine, false).await;
    let (sandbox, _) = sandbox_on(owner, &machine, &mut connection).await;
    let moved = owner.post(&machine.path("/drain"));
    moved.json(&json!({ "move": true })).expect(200).await;
    let one = waiting(owner, &machine, "next_try").await;
    let detail = one["detail"].as_str().expect("a text");
    assert!(detail.contains("update roostd on the machine"), "{detail}");
    let state = owner.get(&sandbox).expect(200).await;
    assert_eq!(state.str("/state"), "running");
    gateway.stop().await;
}

#[tokio::test]
async fn choice_of_a_drain_is_checked() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let path = machine.path("/drain");
    let drain = |body: &Value| owner.post(&path).json(body);
    drain(&json!({ "move": "yes" })).expect(400).await;
    drain(&json!({ "away": true })).expect(400).await;
    owner.post(&path).body("move").expect(415).await;
    let node = drain(&json!({})).expect(200).await;
    assert_eq!(node.body["moves"], false);
    let node = drain(&json!({ "move": true })).expect(200).await;
    assert_eq!(node.body["moves"], true);
    gateway.stop().await;
}
