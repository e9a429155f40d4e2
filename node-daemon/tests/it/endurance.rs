//! A day of heartbeats in seconds: memory does not grow.
use roost_protocol::frame::ToGateway;

use crate::daemon::{Daemon, NO_ENGINE};
use crate::gateway::Gateway;

/// Heartbeats of a day at one every ten seconds.
const DAY: u32 = 8640;

#[tokio::test(flavor = "multi_thread")]
async fn a_day_of_heartbeats_does_not_grow_the_daemon() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run_with(&["--second-ms", "1"], &[]);
    let mut peer = gateway.connection().await;
    peer.hello().await;
    peer.welcome(1).await;
    let mut beats = 0;
    let mut early = 0;
    while beats < DAY {
        if matches!(peer.frame().await.message, ToGateway::Heartbeat(_)) {
            beats += 1;
            if beats == DAY / 10 {
                early = resident_kib(daemon.pid());
            }
        }
    }
    let late = resident_kib(daemon.pid());
    println!(
        "resident after {} heartbeats {early} KiB, after {DAY} {late} KiB",
        DAY / 10
    );
    assert!(late < early + 2048, "grew from {early} to {late} KiB");
}

fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a line");
    line.split_whitespace()
        .nth(1)
        .expect("a number")
        .parse()
        .expect("a number")
}

/// Prints the daemon's share of a command's time. It is a figure, not a limit.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_costs_from_frame_to_end() {
    use crate::sandbox::{Machine, sandbox, shell};
    use roost_protocol::operation::Operation;
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let mut times = Vec::new();
    for _ in 0..100 {
        let mut request = shell(sandbox, "");
        if let Operation::SbExec(exec) = &mut request.operation {
            exec.argv = vec!["/bin/true".into()];
        }
        let begun = std::time::Instant::now();
        let ended = peer.run(&request).await;
        times.push((begun.elapsed(), ended.duration_ms));
        peer.control(roost_protocol::control::Control::Ack {
            operation: request.id,
        })
        .await;
    }
    times.sort();
    println!(
        "true, frame to end: p50 {:?}, p95 {:?}; in the guest {} ms",
        times[50].0, times[95].0, times[50].1
    );
}
