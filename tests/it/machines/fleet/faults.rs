//! The gateway is killed at every kill point of operations and connections. An accepted operation ends exactly once,
//! and the machine reconnects.

use std::collections::HashMap;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::supervision::KillPoints;
use roost_platform::supervision::killpoints::{Arm, KillAction, find};
use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::OperationId;
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_protocol::verify::VerifyReport;
use roost_tests::machine::{Connection, ended};
use roost_tests::{Gateway, Machine, Store};

/// What this file's points are, and whether the operation was taken when it strikes.
const CASES: &[(&str, bool)] = &[
    ("operations.submit.before_row", false),
    ("operations.submit.after_row", true),
    ("operations.submit.after_send", true),
    ("operations.finish.before_row", true),
    ("operations.finish.after_row", true),
    ("fleet.node.after_epoch", true),
];

/// A machine that does what it is asked, keeps a ledger, and comes back whenever its connection breaks.
async fn honest(machine: Machine) {
    let mut ledger: HashMap<OperationId, LedgerEntry> = HashMap::new();
    loop {
        let Ok(mut connection) = machine.dial().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let inventory = Inventory {
            operations: ledger.values().cloned().collect(),
            ..Inventory::default()
        };
        let hello = roost_protocol::frame::ToGateway::Hello(machine.hello(inventory));
        connection.send(hello).await;
        while let Some(message) = connection.receive().await {
            match message {
                ToNode::Welcome(welcome) => connection.outgoing.welcomed(welcome.epoch),
                ToNode::Operation(request) => {
                    carry_out(&mut connection, &mut ledger, request.id).await;
                }
                ToNode::Control(Control::Ack { operation }) => {
                    ledger.remove(&operation);
                }
                _ => {}
            }
        }
    }
}

/// Starts an id at most once (P2); asked again it says how it ended.
async fn carry_out(
    connection: &mut Connection,
    ledger: &mut HashMap<OperationId, LedgerEntry>,
    operation: OperationId,
) {
    let report = VerifyReport {
        ok: true,
        checks: Vec::new(),
        probe: Vec::new(),
        duration_ms: 1,
    };
    let end = ended(Terminal::Done, Outcome::Verified { report });
    let entry = ledger.entry(operation).or_insert(LedgerEntry {
        operation,
        output_end: 0,
        ended: Some(end.clone()),
    });
    let end = entry.ended.clone().unwrap_or(end);
    connection.report(operation, Report::Accepted).await;
    connection.report(operation, Report::Ended(end)).await;
}

#[tokio::test]
async fn an_operation_that_was_taken_ends_once_wherever_its_actor_is_killed() {
    for (point, taken) in CASES {
        let kill_points = KillPoints::allowed();
        let around = Surroundings {
            kill_points: Some(kill_points.clone()),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let set = [("sandboxes.local", "off")];
        let gateway = Gateway::start_in(folder, &Store::Sqlite, &set, around)
            .await
            .expect("the gateway starts");
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let id = find(point).expect("it stands in the table");
        let begins = |point: &str| point.starts_with("fleet.");
        if begins(point) {
            kill_points
                .arm(Arm::once(id, KillAction::Panic))
                .expect("armed");
        }
        let playing = tokio::spawn(honest(machine.clone()));
        // The answer may be "no answer": what counts is what the log says in the end. While the machine is not connected
        // a request is refused and writes nothing.
        if !begins(point) {
            connected(owner, &machine).await;
            kill_points
                .arm(Arm::once(id, KillAction::Panic))
                .expect("armed");
        }
        roost_tests::eventually(point, async || {
            let answer = owner.post(&machine.path("/exec-test")).send().await;
            (answer.status == 200 || !begins(point)).then_some(())
        })
        .await;
        roost_tests::eventually(point, async || {
            let log = owner.get(&machine.path("/operations")).expect(200).await;
            let states: Vec<_> = log.body["items"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|line| line["state"].as_str().unwrap_or_default().to_owned())
                .collect();
            let expected: &[&str] = if *taken { &["done"] } else { &[] };
            (states == expected).then_some(())
        })
        .await;
        assert!(kill_points.passes(id) >= 1, "{point} was never reached");
        // The machine is back and works.
        roost_tests::eventually(point, async || {
            let answer = owner.post(&machine.path("/exec-test")).send().await;
            (answer.status == 200).then_some(())
        })
        .await;
        playing.abort();
        gateway.stop().await;
    }
}

async fn connected(owner: &roost_tests::Person, machine: &Machine) {
    roost_tests::eventually("it is connected", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.str("/connection") == "connected").then_some(())
    })
    .await;
}
