//! Operations over the channel: one end across reconnects (P1), and only the operation's own machine reports it.

use roost_machines::fleet::operations::{OperationEntity, Target};
use roost_platform::ids::OperationId as OperationRowId;
use roost_protocol::ids::OperationId;
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::operation::{List, Operation, OperationRequest};
use roost_protocol::report::{Ended, Outcome, Report, Terminal};
use roost_protocol::verify::{Check, Level, VerifyReport};
use roost_tests::machine::ended;
use roost_tests::{Gateway, Machine, Person, Store, eventually};
use sea_orm::{EntityTrait, IntoActiveModel};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::gateway;

fn verified() -> Ended {
    let check = Check {
        name: "engine.api".into(),
        title: "Engine".into(),
        level: Level::Ok,
        detail: "1.41\u{1b}[31m".into(),
    };
    let report = VerifyReport {
        ok: true,
        checks: vec![check],
        probe: Vec::new(),
        duration_ms: 3,
    };
    ended(Terminal::Done, Outcome::Verified { report })
}

/// Begins a verification at the API; the answer comes when the machine has answered.
fn exec_test(owner: &Person, machine: &Machine) -> JoinHandle<roost_tests::Answer> {
    let request = owner.post(&machine.path("/exec-test"));
    tokio::spawn(request.send())
}

async fn only_state(owner: &Person, machine: &Machine) -> String {
    let log = owner.get(&machine.path("/operations")).expect(200).await;
    assert_eq!(
        log.body["items"].as_array().map(Vec::len),
        Some(1),
        "{}",
        log.text
    );
    log.str("/items/0/state").to_owned()
}

/// Something to do on the machine, without anybody behind it.
fn sandboxes(id: Uuid) -> OperationRequest {
    OperationRequest {
        purpose: None,
        id: OperationId(id),
        on_behalf: None,
        operation: Operation::SbList(List {}),
    }
}

#[tokio::test]
async fn what_was_written_down_and_never_sent_is_sent_when_it_is_asked_for_again() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let target = Target::Node(machine.node_id.parse().expect("an id"));
    let (operations, db) = (gateway.app().operations(), gateway.app().db());
    let (sent, lost) = (Uuid::now_v7(), Uuid::now_v7());
    let taken = operations.submit(target, sandboxes(sent)).await;
    let taken = taken.expect("it is taken");
    connection.operation().await;
    // The database took the row of another, and broke off before it could say so.
    let row = OperationEntity::find_by_id(taken.id).one(db.read()).await;
    let mut row = row.unwrap().expect("its row");
    row.id = OperationRowId(lost);
    row.wire = Some(rmp_serde::to_vec_named(&sandboxes(lost)).expect("it encodes"));
    let tx = db.write().await.unwrap();
    let insert = OperationEntity::insert(row.into_active_model());
    insert.exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();

    let again = operations.submit(target, sandboxes(lost)).await;
    assert_eq!(again.expect("it is taken").id, OperationRowId(lost));
    let request = connection.operation().await;
    assert_eq!(request.id, OperationId(lost));
    let listed = Outcome::Listed { sandboxes: vec![] };
    connection.report(request.id, Report::Accepted).await;
    let done = ended(Terminal::Done, listed);
    connection.report(request.id, Report::Ended(done)).await;
    connection.acknowledged(request.id).await;
    // A finished operation is not sent again.
    operations
        .submit(target, sandboxes(lost))
        .await
        .expect("it is known");
    let ended = operations
        .wait(OperationRowId(lost))
        .await
        .expect("its end");
    assert_eq!(ended.state, Terminal::Done);
    gateway.stop().await;
}

#[tokio::test]
async fn a_verification_is_measured_on_the_machine_and_shown_without_its_escapes() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    owner
        .post(&machine.path("/exec-test"))
        .refused(409, "node-offline")
        .await;
    let mut connection = machine.connect().await;
    let answer = exec_test(owner, &machine);
    let request = connection.operation().await;
    assert!(matches!(request.operation, Operation::Verify(_)));
    connection.report(request.id, Report::Accepted).await;
    connection
        .report(request.id, Report::Ended(verified()))
        .await;
    connection.acknowledged(request.id).await;
    let answer = answer.await.expect("an answer");
    assert_eq!(
        (answer.status, answer.str("/checks/0/detail")),
        (200, "1.41[31m")
    );
    // Said again after a reconnect it changes nothing, and is acknowledged again.
    connection
        .report(
            request.id,
            Report::Ended(ended(Terminal::Failed, Outcome::Unknown)),
        )
        .await;
    connection.acknowledged(request.id).await;
    assert_eq!(only_state(owner, &machine).await, "done");
    gateway.stop().await;
}

#[tokio::test]
async fn an_end_that_answers_another_question_is_not_believed() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let answer = exec_test(owner, &machine);
    let request = connection.operation().await;
    let lie = ended(Terminal::Done, Outcome::Exited { code: 0 });
    connection.report(request.id, Report::Ended(lie)).await;
    connection.acknowledged(request.id).await;
    assert_eq!(answer.await.expect("an answer").status, 503);
    assert_eq!(only_state(owner, &machine).await, "failed");
    gateway.stop().await;
}

#[tokio::test]
async fn what_did_not_arrive_is_sent_again_and_what_ended_meanwhile_is_heard() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let answer = exec_test(owner, &machine);
    let first = connection.operation().await;
    connection.vanish();
    let mut connection = machine.connect().await;
    let again = connection.operation().await;
    assert_eq!(again, first, "the same id, so that it starts once");
    connection.report(first.id, Report::Accepted).await;
    connection.vanish();
    let entry = LedgerEntry {
        operation: first.id,
        output_end: 0,
        ended: Some(verified()),
    };
    let inventory = Inventory {
        operations: vec![entry],
        ..Inventory::default()
    };
    let (mut connection, _) = machine.connect_holding(inventory).await;
    connection.acknowledged(first.id).await;
    assert_eq!(answer.await.expect("an answer").status, 200);
    assert_eq!(only_state(owner, &machine).await, "done");
    gateway.stop().await;
}

#[tokio::test]
async fn an_operation_outlives_the_gateway_that_sent_it_and_ends_once() {
    let first_life = gateway().await;
    let owner = first_life.owner().await.clone();
    let machine = Machine::joined(&first_life, &owner).await;
    let mut connection = machine.connect().await;
    let cut_off = exec_test(&owner, &machine);
    let request = connection.operation().await;
    connection.report(request.id, Report::Accepted).await;
    cut_off.abort();
    connection.vanish();
    let folder = first_life.stop_and_keep().await;

    let set = [("sandboxes.local", "off")];
    let second_life = Gateway::start_in(folder, &Store::Sqlite, &set, Default::default())
        .await
        .expect("it starts again");
    let owner = Person {
        client: second_life.anonymous().with_token(&owner.token),
        ..owner
    };
    let machine = Machine {
        channel: format!(
            "{}/api/nodes/agent",
            second_life.url().replace("http", "ws")
        ),
        ..machine
    };
    assert!(matches!(
        only_state(&owner, &machine).await.as_str(),
        "pending" | "running"
    ));
    let entry = LedgerEntry {
        operation: request.id,
        output_end: 0,
        ended: Some(verified()),
    };
    let inventory = Inventory {
        operations: vec![entry],
        ..Inventory::default()
    };
    let (mut connection, _) = machine.connect_holding(inventory).await;
    connection.acknowledged(request.id).await;
    assert_eq!(only_state(&owner, &machine).await, "done");
    second_life.stop().await;
}

#[tokio::test]
async fn a_machine_that_is_deleted_takes_its_open_operations_with_it_as_lost() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let answer = exec_test(owner, &machine);
    let request = connection.operation().await;
    connection.report(request.id, Report::Accepted).await;
    connection.vanish();
    eventually("it is away", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.str("/connection") == "disconnected").then_some(())
    })
    .await;
    owner.delete(&machine.path("")).expect(202).await;
    assert_eq!(answer.await.expect("an answer").status, 503);
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_cannot_end_another_machines_operation() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let machine = Machine::joined(&gateway, owner).await;
    let hostile = Machine::joined(&gateway, &stranger).await;
    let mut connection = machine.connect().await;
    let answer = exec_test(owner, &machine);
    let request = connection.operation().await;
    let mut other = hostile.connect().await;
    let forged = ended(Terminal::Done, Outcome::Exited { code: 0 });
    other.report(request.id, Report::Ended(forged)).await;
    other
        .report(OperationId(Uuid::now_v7()), Report::Ended(verified()))
        .await;
    // The hostile machine's own work still goes on, so both frames were handled.
    let own = exec_test(&stranger, &hostile);
    let own_request = other.operation().await;
    other
        .report(own_request.id, Report::Ended(verified()))
        .await;
    assert_eq!(own.await.expect("an answer").status, 200);
    assert_eq!(only_state(owner, &machine).await, "pending");
    connection
        .report(request.id, Report::Ended(verified()))
        .await;
    assert_eq!(answer.await.expect("an answer").status, 200);
    gateway.stop().await;
}

#[tokio::test]
async fn the_world_view_shows_when_work_begins_and_ends_on_a_machine() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let fake_node = roost_tests::FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
    eventually("it is connected", async || {
        let answer = owner.post(&machine.path("/exec-test")).send().await;
        (answer.status == 200).then_some(())
    })
    .await;
    let path = "/api/events?types=node.activity&last_event_id=1.0";
    let mut stream = roost_tests::Stream::open(owner.get(path)).await;
    let events = stream.take(3).await;
    let labels: Vec<_> = events.iter().map(|e| e.data["label"].clone()).collect();
    assert_eq!(labels, ["connected", "verify", "verify done"]);
    let node = format!("machine:{}", machine.node_id);
    for event in &events {
        assert_eq!(
            (&event.data["nodeId"], &event.data["kind"]),
            (&node.clone().into(), &"event".into())
        );
    }
    drop((stream, fake_node));
    gateway.stop().await;
}

#[tokio::test]
async fn what_a_deleted_machine_destroyed_is_destroyed_and_what_it_did_not_say_is_lost() {
    for answers in [true, false] {
        let gateway = gateway().await;
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let fake_node =
            roost_tests::FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
        eventually("it is connected", async || {
            let node = owner.get(&machine.path("")).expect(200).await;
            (node.str("/connection") == "connected").then_some(())
        })
        .await;
        let set = serde_json::json!({ "target": "node", "node_id": machine.node_id });
        let set = owner.put("/api/fleet/placement").json(&set);
        set.expect(200).await;
        let name = serde_json::json!({ "name": "Ada" });
        let made = owner.post("/api/claws").json(&name).expect(201).await;
        let sandbox = format!("/api/claws/{}/sandbox", made.str("/id"));
        let nothing = serde_json::json!({});
        owner.post(&sandbox).json(&nothing).expect(201).await;
        if !answers {
            drop(fake_node);
            eventually("it is away", async || {
                let node = owner.get(&machine.path("")).expect(200).await;
                (node.str("/connection") != "connected").then_some(())
            })
            .await;
        }
        owner.delete(&machine.path("")).expect(202).await;
        eventually("the sandbox has an end", async || {
            let shown = owner.get(&sandbox).send().await;
            match answers {
                // What is destroyed is history.
                true => (shown.status == 404).then_some(()),
                false => (shown.status == 200 && shown.str("/state") == "lost").then_some(()),
            }
        })
        .await;
        let quota = owner.get("/api/quota").expect(200).await;
        assert_eq!(quota.body["live_containers"]["used"], 0);
        gateway.stop().await;
    }
}
