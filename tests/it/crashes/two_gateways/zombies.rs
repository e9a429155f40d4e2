//! A paused gateway resumes after another gateway took its leases over. Its writes fail.

use std::time::Duration;

use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_protocol::verify::VerifyReport;
use roost_tests::machine::ended;
use roost_tests::{Machine, eventually};
use serde_json::json;

use super::killed::Pair;

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_slept_past_its_hold_ends_no_operation_of_the_machine_it_lost() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let [one, two] = pair.channels().try_into().expect("two");
    let at = |channel: String| Machine {
        channel,
        ..pair.machine.clone()
    };
    let (mut first, _) = at(one).connect_holding(Inventory::default()).await;
    // Nobody waits for the answer of the gateway that falls asleep.
    let asked = tokio::spawn(
        pair.owners[0]
            .post(&pair.machine.path("/exec-test"))
            .try_send(),
    );
    let operation = first.operation().await.id;
    first.report(operation, Report::Accepted).await;
    pair.gateways[0].pause();
    // This lies in its socket until it wakes up.
    let lie = ended(Terminal::Failed, Outcome::Unknown);
    first.report(operation, Report::Ended(lie)).await;
    let running = LedgerEntry {
        operation,
        output_end: 0,
        ended: None,
    };
    let inventory = Inventory {
        operations: vec![running],
        ..Inventory::default()
    };
    let (mut second, _) = at(two).connect_holding(inventory).await;
    pair.gateways[0].go_on();
    first.closed().await;
    let states = "SELECT state AS t FROM node_operations";
    let state = pair.inspector.texts(states).await;
    assert!(
        ["pending", "running"].contains(&state[0].as_str()),
        "{state:?}"
    );
    let report = VerifyReport {
        ok: true,
        checks: Vec::new(),
        probe: Vec::new(),
        duration_ms: 1,
    };
    let truth = ended(Terminal::Done, Outcome::Verified { report });
    second.report(operation, Report::Ended(truth)).await;
    second.acknowledged(operation).await;
    assert_eq!(pair.inspector.texts(states).await, ["done"]);
    let answer = asked.await.expect("no panic").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saga_step_is_executed_once_when_its_driver_loses_the_lease() {
    let Some(mut pair) = Pair::start().await else {
        return;
    };
    pair.gateways[0].kill();
    let late = "sagas.after_effect=delay:9000";
    assert!(pair.gateways[0].again_with(late).await, "it only waits");
    let [owner, other] = &pair.owners;
    let body = json!({ "name": "Gone" });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    let path = format!("/api/claws/{}", made.str("/id"));
    let purge = owner.delete(&format!("{path}?purge=true"));
    purge.expect(202).await;
    // The lease is 5 s, a look every 2 s.
    eventually("the other gateway purges it", async || {
        (other.get(&path).send().await.status == 404).then_some(())
    })
    .await;
    eventually(
        "the late driver sees that it is no driver any more",
        async || {
            let log = pair.gateways[0].log();
            log.contains("another gateway has the saga lease now")
                .then_some(())
        },
    )
    .await;
    let id = made.str("/id");
    let told = format!(
        "SELECT COUNT(*) AS n FROM events WHERE kind = 'resource.changed' AND data LIKE '%{id}%'"
    );
    // Made, its purge begun, and gone: each told once.
    assert_eq!(pair.inspector.numbers(&told).await, [3]);
    let used = "SELECT used AS n FROM quota_usage WHERE kind = 'agents'";
    assert_eq!(pair.inspector.numbers(used).await, [0]);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_sleeps_inside_a_transaction_holds_the_others_up_for_seconds_only() {
    let Some(mut pair) = Pair::start().await else {
        return;
    };
    pair.gateways[0].kill();
    let asleep = "events.writer.before_commit=delay:600000";
    assert!(pair.gateways[0].again_with(asleep).await, "it only waits");
    let machine = Machine {
        channel: pair.gateways[0].channel(),
        ..pair.machine.clone()
    };
    let fake_node = roost_tests::FakeNode::start(machine, vec![pair.gateways[0].channel()]);
    let [owner, other] = &pair.owners;
    let test = pair.machine.path("/exec-test");
    // Its beginning and end are ephemeral events: their writer takes the log's lock and falls asleep on it.
    eventually("the machine answers", async || {
        (owner.post(&test).send().await.status == 200).then_some(())
    })
    .await;
    eventually("the writer is asleep", async || {
        let log = pair.gateways[0].log();
        log.contains("an armed kill point fires").then_some(())
    })
    .await;
    let began = tokio::time::Instant::now();
    let body = json!({ "name": "Awake" });
    other.post("/api/claws").json(&body).expect(201).await;
    let took = began.elapsed();
    assert!(
        took > Duration::from_secs(2),
        "it was never held up: {took:?}"
    );
    assert!(took < Duration::from_secs(9), "{took:?}");
    pair.inspector.events_are_whole().await;
    drop(fake_node);
    pair.end().await;
}
