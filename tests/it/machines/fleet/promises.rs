//! Operators see a count for a machine that breaks a promise, and none for an honest one.

use std::collections::BTreeMap;

use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{AgentId, OperationId, SandboxId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::report::{Outcome, Terminal};
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts};
use roost_tests::machine::{Connection, ended};
use roost_tests::{FakeNode, Gateway, Machine, Person, eventually};
use serde_json::json;

use super::gateway;

/// How often each watch saw its promise broken; only those that did.
async fn broken(gateway: &Gateway) -> BTreeMap<String, u64> {
    let said = gateway.operators().get("/api/ops/promises").expect(200);
    let said = said.await;
    let promises = said.body["promises"].as_array().expect("promises");
    promises
        .iter()
        .flat_map(|promise| promise["watches"].as_array().expect("watches"))
        .filter(|watch| watch["finding"] == "broken" && watch["count"] != 0)
        .map(|watch| {
            let name = watch["name"].as_str().expect("a name").to_owned();
            (name, watch["count"].as_u64().expect("a count"))
        })
        .collect()
}

fn facts(owner: &Person) -> SandboxFacts {
    SandboxFacts {
        sandbox: SandboxId(uuid::Uuid::now_v7()),
        workspace: owner.workspace.parse().expect("an id"),
        agent: AgentId(uuid::Uuid::now_v7()),
        epoch: 1,
        container: "f00d".into(),
        image: "roost-agent:dev".into(),
        state: ContainerState::Running,
        created_at_s: 1,
        limits: Limits::default(),
    }
}

async fn drained(owner: &Person, machine: &Machine, connection: &mut Connection) {
    owner.post(&machine.path("/drain")).expect(200).await;
    let turn = connection
        .receive_until(|message| match message {
            ToNode::Control(Control::Drain { on: true, turn }) => Some(*turn),
            _ => None,
        })
        .await;
    let empty = ControlReply::Draining {
        on: true,
        turn,
        empty: true,
    };
    connection.send(ToGateway::Reply(empty)).await;
    eventually("it is drained", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.body["drained"] == true).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_machine_that_calls_itself_empty_while_it_holds_sandboxes_breaks_p7() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let held = facts(owner);
    let inventory = Inventory {
        sandboxes: vec![held.clone()],
        ..Inventory::default()
    };
    let (mut connection, _) = machine.connect_holding(inventory.clone()).await;
    // One that ends first is empty when it says so.
    let gone = ControlReply::SandboxGone {
        sandbox: held.sandbox,
        cause: GoneCause::Exited,
    };
    connection.send(ToGateway::Reply(gone)).await;
    drained(owner, &machine, &mut connection).await;
    assert_eq!(broken(&gateway).await, BTreeMap::new());
    owner.post(&machine.path("/undrain")).expect(200).await;
    connection.send(ToGateway::Inventory(inventory)).await;
    drained(owner, &machine, &mut connection).await;
    let expected = [("drained_not_empty".to_owned(), 1)].into();
    assert_eq!(broken(&gateway).await, expected);
    gateway.stop().await;
}

#[tokio::test]
async fn a_ledger_that_lists_an_operation_twice_breaks_p2() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let entry = LedgerEntry {
        operation: OperationId(uuid::Uuid::now_v7()),
        output_end: 0,
        ended: Some(ended(Terminal::Done, Outcome::Unknown)),
    };
    let mut inventory = Inventory {
        operations: vec![entry.clone()],
        ..Inventory::default()
    };
    machine.connect_holding(inventory.clone()).await.0.vanish();
    assert_eq!(broken(&gateway).await, BTreeMap::new());
    inventory.operations.push(entry);
    let (_connection, _) = machine.connect_holding(inventory).await;
    let expected: BTreeMap<_, _> = [("listed_twice".to_owned(), 1)].into();
    eventually("it is counted", async || {
        (broken(&gateway).await == expected).then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_that_sweeps_away_a_sandbox_which_a_row_claims_breaks_p8() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let target = json!({ "target": "node", "node_id": machine.node_id });
    owner
        .put("/api/fleet/placement")
        .json(&target)
        .expect(200)
        .await;
    let fake_node = FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
    eventually("the machine is online", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.body["status"] == "online").then_some(())
    })
    .await;
    let mut claimed = Vec::new();
    for name in ["one", "two"] {
        let claw = owner.post("/api/claws").json(&json!({ "name": name }));
        let path = format!("/api/claws/{}/sandbox", claw.expect(201).await.str("/id"));
        let made = owner.post(&path).json(&json!({})).expect(201).await;
        let id: SandboxId = made.str("/id").parse().expect("an id");
        claimed.push((path, id));
    }
    let inventory = Inventory {
        sandboxes: fake_node.history().sandboxes.values().cloned().collect(),
        ..Inventory::default()
    };
    drop(fake_node);
    let (mut connection, _) = machine.connect_holding(inventory).await;
    let causes = [(GoneCause::OutOfMemory, None), (GoneCause::Orphan, Some(1))];
    for ((path, sandbox), (cause, count)) in claimed.into_iter().zip(causes) {
        let gone = ControlReply::SandboxGone { sandbox, cause };
        connection.send(ToGateway::Reply(gone)).await;
        eventually("it is gone", async || {
            let sandbox = owner.get(&path).expect(200).await;
            (sandbox.body["state"] != "running").then_some(())
        })
        .await;
        let broken = broken(&gateway).await;
        assert_eq!(broken.get("claimed_removed").copied(), count);
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_connection_whose_epoch_was_set_back_breaks_p6() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let set_epoch = async |epoch: i64| {
        let tx = gateway.app().db().write().await.expect("a transaction");
        let statement = format!("UPDATE nodes SET conn_epoch = {epoch}");
        sea_orm::ConnectionTrait::execute_unprepared(&*tx, &statement)
            .await
            .expect("the statement");
        tx.commit().await.expect("a commit");
    };
    let _first = machine.connect().await;
    // A database whose clock runs far ahead, and then is right again, is survived: epochs go on from the last one.
    set_epoch(4_000_000_000_000).await;
    let _second = machine.connect().await;
    let _third = machine.connect().await;
    assert_eq!(broken(&gateway).await, BTreeMap::new());
    // Not survived: an old backup as well, put under a gateway that runs.
    set_epoch(0).await;
    let _fourth = machine.connect().await;
    let expected: BTreeMap<_, _> = [("epoch_not_newer".to_owned(), 1)].into();
    eventually("it is counted", async || {
        (broken(&gateway).await == expected).then_some(())
    })
    .await;
    gateway.stop().await;
}
