//! The broker dies while a door is executed. The action is not sent twice, and the door shows an unknown result as
//! unclear.

use roost_tests::Latch;

use super::{Bench, issue};

#[tokio::test]
async fn a_broker_that_is_killed_while_it_performs_leaves_it_unclear_and_sends_nothing_again() {
    for mut bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let latch = Latch::default();
        bench.app.hold(&latch);
        let asked = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(asked.str("/id"), "approve").await;
        latch.arrived().await;
        bench.broker.kill();
        latch.open();
        let unclear = bench.until(asked.str("/id"), "unclear").await;
        let message = unclear["result"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("check the app"), "{unclear}");
        bench.start_the_broker_again().await;
        let next = bench.ask(&agent, "github.issues.create", issue()).await;
        bench.decide(next.str("/id"), "approve").await;
        bench.until(next.str("/id"), "performed").await;
        let keys: Vec<String> = bench.app.seen().into_iter().map(|seen| seen.key).collect();
        assert_eq!(keys, [asked.str("/id"), next.str("/id")], "each once");
        bench.stop().await;
    }
}

#[tokio::test]
async fn a_broker_that_is_stopped_while_it_performs_ends_it_first() {
    let mut bench = Bench::start().await;
    let agent = bench.agent().await;
    let latch = Latch::default();
    bench.app.hold(&latch);
    let asked = bench.ask(&agent, "github.issues.create", issue()).await;
    bench.decide(asked.str("/id"), "approve").await;
    latch.arrived().await;
    bench.broker.terminate();
    latch.open();
    let done = bench.until(asked.str("/id"), "performed").await;
    assert_eq!(done["result"]["status"], 201);
    bench.start_the_broker_again().await;
    let next = bench.ask(&agent, "github.issues.create", issue()).await;
    bench.decide(next.str("/id"), "approve").await;
    bench.until(next.str("/id"), "performed").await;
    assert_eq!(bench.app.seen().len(), 2);
    bench.stop().await;
}
