//! A tenant that writes without end, or starts commands without end: its use of the disk and of the executor stays
//! bounded meanwhile, and omitted output is marked.
use std::path::Path;

use roost_protocol::limits::{MAX_COMMANDS_IN_SANDBOX, MAX_STREAMED_BYTES};
use roost_protocol::operation::{Destroy, Operation};
use roost_protocol::report::{ErrorKind, Outcome};
use roost_sandbox_driver::executor::OwnerPolicy;

use crate::support::{Bench, Machine};

/// Bytes of all files in a folder, as the disk has them.
fn on_disk(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|facts| facts.len())
        .sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn output_of_many_commands_stays_within_its_limit() {
    const MOST: u64 = 48 << 20;
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy {
        most_output_bytes: Some(MOST),
        ..OwnerPolicy::default()
    })
    .await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let spool = machine.state("spool");
    let mut peak = 0;
    let mut ends = Vec::new();
    // 16 MiB of each are streamed: 160 MiB in all.
    for _ in 0..5 {
        let script = "head -c 20000000 /dev/zero";
        let pair = [(); 2].map(|()| machine.run(&spec, spec.sandbox, script));
        let outputs = machine
            .receive_with(&pair, || peak = peak.max(on_disk(&spool)))
            .await;
        for id in pair {
            let outputs = &outputs[&id];
            assert_eq!(outputs.bytes, MAX_STREAMED_BYTES, "live output is whole");
            let ended = outputs.ended.clone().expect("an end");
            assert_eq!(ended.output_dropped, 20_000_000 - MAX_STREAMED_BYTES);
            ends.push((id, ended.output_end));
        }
    }
    assert!(peak <= MOST, "{peak} of {MOST}");
    assert!(peak > MOST / 2, "much was kept: {peak}");
    // The oldest output was removed and reads as a gap; the newest is whole, even after a restart.
    for _ in 0..2 {
        let (first, end) = ends[0];
        let outputs = machine.replay(first, end).await;
        assert_eq!((outputs.bytes, outputs.missing), (0, end));
        let (last, end) = *ends.last().expect("the last");
        let outputs = machine.replay(last, end).await;
        assert_eq!((outputs.bytes, outputs.missing), (end, 0));
        machine.again().await;
    }
    machine.destroy(&spec, false).await;
    machine.executor.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_a_gap_when_nothing_can_be_removed() {
    const MOST: u64 = 32 << 20;
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy {
        most_output_bytes: Some(MOST),
        ..OwnerPolicy::default()
    })
    .await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    // Three commands need 48 MiB at the same time, and none of them has ended.
    let script = "head -c 16777216 /dev/zero; while [ ! -e go ]; do sleep 0.05; done; echo last";
    let running = [(); 3].map(|()| machine.run(&spec, spec.sandbox, script));
    let spool = machine.state("spool");
    let full = async {
        while on_disk(&spool) < MOST - (1 << 20) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let bound = std::time::Duration::from_secs(60);
    let received = tokio::time::timeout(bound, async {
        tokio::select! {
            () = full => {}
            _ = machine.receive(&running) => panic!("they wait"),
        }
    });
    received.await.expect("the spools fill");
    let go = machine.run(&spec, spec.sandbox, "touch go");
    let mut all = running.to_vec();
    all.push(go);
    let outputs = machine.receive(&all).await;
    assert!(on_disk(&spool) <= MOST, "{}", on_disk(&spool));
    let mut missing = 0;
    for id in running {
        let ended = outputs[&id].ended.clone().expect("an end");
        assert_eq!(ended.outcome, Outcome::Exited { code: 0 });
        let replayed = machine.replay(id, ended.output_end).await;
        assert_eq!(
            replayed.bytes + replayed.missing,
            ended.output_end,
            "nothing is silent"
        );
        missing += replayed.missing;
    }
    assert!(missing >= 15 << 20, "{missing}");
    machine.destroy(&spec, false).await;
    machine.executor.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_is_busy_above_its_command_limit() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy::default()).await;
    let mut spec = bench.spec();
    spec.limits.pids = 512;
    machine.provision(&spec).await;
    let wait = "while [ ! -e go ]; do sleep 0.2; done";
    let running: Vec<_> = (0..MAX_COMMANDS_IN_SANDBOX)
        .map(|_| machine.run(&spec, spec.sandbox, wait))
        .collect();
    let one_more = machine.run(&spec, spec.sandbox, "true");
    let outputs = machine.receive(&[one_more]).await;
    let ended = outputs[&one_more].ended.clone().expect("an end");
    let Outcome::Error { error } = &ended.outcome else {
        panic!("it was begun: {ended:?}");
    };
    assert_eq!(error.kind, ErrorKind::Busy, "{error:?}");
    assert!(error.detail.contains("in this sandbox"), "{error:?}");
    // Operations that are not commands still run, and this one ends all commands.
    let destroy = machine.ask(
        &spec,
        Operation::SbDestroy(Destroy {
            sandbox: spec.sandbox,
            archive: false,
        }),
    );
    let mut all = running;
    all.push(destroy);
    let outputs = machine.receive(&all).await;
    let gone = outputs[&destroy].ended.clone().expect("an end").outcome;
    assert!(matches!(gone, Outcome::Destroyed { .. }), "{gone:?}");
    machine.executor.shutdown().await;
}
