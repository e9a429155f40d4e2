//! The health of machines over the last day, through the channel and the API.

use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::clock::TestClock;
use roost_protocol::frame::ToGateway;
use roost_protocol::vitals::Heartbeat;
use roost_tests::machine::Connection;
use roost_tests::{Gateway, Machine, Person, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

/// A gateway on each back end, and the clock that it goes by.
async fn gateways() -> Vec<(Gateway, TestClock, Option<ScratchPostgres>)> {
    let mut all = Vec::new();
    for scratch in [None, ScratchPostgres::new().await] {
        if scratch.is_none() && !all.is_empty() {
            continue;
        }
        let store = match &scratch {
            Some(scratch) => Store::Postgres(scratch.url().to_owned()),
            None => Store::Sqlite,
        };
        let clock = TestClock::default();
        let around = Surroundings {
            clock: std::sync::Arc::new(clock.clone()),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let set = [("sandboxes.local", "off")];
        let gateway = Gateway::start_in(folder, &store, &set, around)
            .await
            .expect("the gateway starts");
        all.push((gateway, clock, scratch));
    }
    all
}

/// Says it and waits until the gateway has written it.
async fn beat(owner: &Person, machine: &Machine, connection: &mut Connection, beat: Heartbeat) {
    let before = version(owner, machine).await;
    connection.send(ToGateway::Heartbeat(beat)).await;
    eventually("the heartbeat is written", || async {
        (version(owner, machine).await > before).then_some(())
    })
    .await;
}

async fn version(owner: &Person, machine: &Machine) -> i64 {
    let node = owner.get(&machine.path("")).expect(200).await;
    node.body["version"].as_i64().expect("a version")
}

async fn points(owner: &Person, machine: &Machine, metric: &str) -> Vec<Value> {
    let answer = owner.get(&machine.path("/history")).expect(200).await;
    let series = &answer.body["series"][metric];
    series.as_array().cloned().unwrap_or_default()
}

fn cpu(cpu_pct: f32) -> Heartbeat {
    Heartbeat {
        cpu_pct: Some(cpu_pct),
        ..Heartbeat::default()
    }
}

#[tokio::test]
async fn a_minute_becomes_a_point_silence_a_gap_and_an_old_connection_counts_for_nothing() {
    for (gateway, clock, scratch) in gateways().await {
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let mut connection = machine.connect().await;
        beat(owner, &machine, &mut connection, cpu(10.0)).await;
        beat(owner, &machine, &mut connection, cpu(30.0)).await;
        assert!(
            points(owner, &machine, "cpu_pct").await.is_empty(),
            "the running minute is not in it"
        );
        clock.advance(Duration::from_secs(60));
        let first = eventually("the minute is a point", || async {
            let points = points(owner, &machine, "cpu_pct").await;
            (!points.is_empty()).then_some(points)
        })
        .await;
        assert_eq!(first.len(), 60);
        assert_eq!(first[59], json!(20.0));
        assert!(first[..59].iter().all(Value::is_null), "{first:?}");
        assert!(
            points(owner, &machine, "gpu_pct").await.is_empty(),
            "what was never reported is left out"
        );

        // Two silent minutes, then one with a report: the connection before is the older one by then.
        clock.advance(Duration::from_secs(120));
        let mut again = machine.connect().await;
        connection.send(ToGateway::Heartbeat(cpu(99.0))).await;
        beat(owner, &machine, &mut again, cpu(0.0)).await;
        clock.advance(Duration::from_secs(60));
        let later = eventually("the second point", || async {
            let points = points(owner, &machine, "cpu_pct").await;
            (points.last() == Some(&json!(0.0))).then_some(points)
        })
        .await;
        assert_eq!(
            later[56..],
            [json!(20.0), Value::Null, Value::Null, json!(0.0)],
            "a gap is a gap, a zero that was reported is a zero, and the older connection said nothing"
        );

        let fleet = owner
            .get("/api/nodes/history?metric=cpu&span=1h")
            .expect(200);
        let fleet = fleet.await;
        assert_eq!(fleet.body["nodes"][0]["id"], json!(machine.node_id));
        assert_eq!(fleet.body["nodes"][0]["values"][59], json!(0.0));
        owner
            .get(&machine.path("/history?span=7d"))
            .expect(400)
            .await;
        let stranger = gateway.stranger().await;
        let theirs = stranger.get("/api/nodes/history").expect(200).await;
        assert_eq!(theirs.body["nodes"], json!([]));
        stranger.get(&machine.path("/history")).expect(404).await;
        gateway.stop().await;
        drop(scratch);
    }
}
