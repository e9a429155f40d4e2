//! The total of all sandboxes: requests above it are refused, and the kernel enforces it whatever runs in them. The
//! bombs are small: each sandbox alone stays within its limits, and only their sum is too much.
use std::path::PathBuf;
use std::time::{Duration, Instant};

use roost_protocol::report::{ErrorKind, OperationError, Outcome};
use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::executor::OwnerPolicy;
use roost_sandbox_driver::{Allowance, Enforcement, KernelTotal, ProvisionOptions};

use crate::support::{Bench, Machine, shell};

/// The control group of all sandboxes of a test, for this machine's control of a resource.
fn group(bench: &Bench, control: &str) -> Option<PathBuf> {
    let parent = bench.driver.engine().cgroup_parent.clone()?;
    let parent = parent.trim_start_matches('/').to_owned();
    ["/sys/fs/cgroup", &format!("/sys/fs/cgroup/{control}")]
        .map(|root| PathBuf::from(root).join(&parent))
        .into_iter()
        .find(|group| {
            group.join("pids.current").exists() || group.join("memory.usage_in_bytes").exists()
        })
}

fn number(group: &Option<PathBuf>, names: [&str; 2]) -> u64 {
    let group = group.as_ref().expect("the group is there");
    let text = names
        .iter()
        .find_map(|name| std::fs::read_to_string(group.join(name)).ok());
    text.and_then(|text| text.trim().parse().ok())
        .expect("a number")
}

/// Unlimited promises, and a kernel limit that is low.
fn allowance(bench: &Bench, memory_bytes: u64, pids: u64) -> Allowance {
    let host = bench.driver.host();
    let policy = OwnerPolicy {
        most_memory_bytes: Some(host.memory_bytes * 4),
        ..OwnerPolicy::default()
    };
    Allowance {
        kernel: KernelTotal {
            memory_bytes,
            pids,
            ..host.share()
        },
        ..policy.allowance(host)
    }
}

async fn three(
    bench: &Bench,
    allowance: Allowance,
    change: fn(&mut SandboxSpec),
) -> Vec<SandboxSpec> {
    let mut made = Vec::new();
    for _ in 0..3 {
        let mut spec = bench.spec();
        change(&mut spec);
        let options = ProvisionOptions {
            allowance: Some(allowance),
            restore: None,
        };
        let provision = bench.driver.provision(&spec, options, &mut |_| {}).await;
        provision.expect("a sandbox");
        made.push(spec);
    }
    made
}

/// Whether the kernel's control groups can be tested: this program must be able to write them.
fn is_held(bench: &Bench) -> bool {
    let held = bench.driver.total();
    if held != Enforcement::Yes {
        eprintln!("not tested here: the total of all sandboxes ({held:?})");
    }
    held == Enforcement::Yes
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_bombs_in_several_sandboxes_stay_below_the_total() {
    let bench = Bench::new().await;
    let most = 160 << 20;
    let sandboxes = three(&bench, allowance(&bench, most, 1000), |spec| {
        spec.limits.memory_bytes = 128 << 20;
        spec.limits.workspace_bytes = 100 << 20;
    })
    .await;
    if is_held(&bench) {
        let mut codes = Vec::new();
        for spec in &sandboxes {
            let link = bench.driver.attach(spec.sandbox).await.expect("a line");
            // 90 MiB each are within the limits of one sandbox.
            let bomb = shell("dd if=/dev/zero of=/workspace/bomb bs=1M count=90 2>/dev/null");
            codes.push(link.run(bomb).await.map(|ran| ran.code));
        }
        let group = group(&bench, "memory");
        let peak = number(&group, ["memory.max_usage_in_bytes", "memory.peak"]);
        assert!(peak <= most, "{peak} of {most}");
        assert!(peak > most / 2, "the bombs were bombs: {peak}");
        let whole = codes.iter().filter(|code| matches!(code, Ok(0))).count();
        assert!(whole < 3, "what does not fit was killed: {codes:?}");
    }
    bench.clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fork_bombs_in_several_sandboxes_stay_below_the_total() {
    let bench = Bench::new().await;
    let most = 60;
    let sandboxes = three(&bench, allowance(&bench, 1 << 30, most), |spec| {
        spec.limits.pids = 50;
    })
    .await;
    if is_held(&bench) {
        let group = group(&bench, "pids");
        let mut running = Vec::new();
        for spec in &sandboxes {
            let link = bench.driver.attach(spec.sandbox).await.expect("a line");
            // 40 processes each are within the limit of one sandbox.
            let bomb = "for n in $(seq 40); do sleep 30 & done 2>/dev/null; sleep 30";
            running.push(tokio::spawn(async move { link.run(shell(bomb)).await }));
        }
        let until = Instant::now() + Duration::from_secs(30);
        let mut peak = 0;
        // The bombs have reached their height once the count is near the limit.
        while peak < most - 10 && Instant::now() < until {
            peak = peak.max(number(&group, ["pids.current", "pids.current"]));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!((most - 10..=most).contains(&peak), "{peak} of {most}");
        for _ in 0..25 {
            let now = number(&group, ["pids.current", "pids.current"]);
            assert!(now <= most, "{now} of {most}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        running.iter().for_each(tokio::task::JoinHandle::abort);
    }
    bench.clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_total_is_detected_and_set_again() {
    let bench = Bench::new().await;
    let wanted = allowance(&bench, 1 << 30, 1000);
    let held = bench.driver.enforce_total(&wanted).await;
    assert_eq!(held, bench.driver.total());
    if is_held(&bench) {
        assert_eq!(bench.driver.check_total(&wanted).await, Enforcement::Yes);
        let parent = bench
            .driver
            .engine()
            .cgroup_parent
            .clone()
            .expect("a parent");
        let pids = PathBuf::from("/sys/fs/cgroup/pids").join(parent.trim_start_matches('/'));
        let pids = if pids.exists() {
            pids
        } else {
            PathBuf::from("/sys/fs/cgroup").join(parent.trim_start_matches('/'))
        };
        std::fs::write(pids.join("pids.max"), "max").expect("it can be written");
        let Enforcement::No { why } = bench.driver.check_total(&wanted).await else {
            panic!("nothing limits processes to 1000 now");
        };
        assert!(why.contains("pids is"), "{why}");
        let report = bench
            .driver
            .verify(&bench.image, false)
            .await
            .expect("a report");
        let check = |name: &str| report.checks.iter().find(|check| check.name == name);
        assert!(check("limit.total").is_some(), "{report:?}");
        three(&bench, wanted, |_| {}).await;
        assert_eq!(bench.driver.check_total(&wanted).await, Enforcement::Yes);
    }
    bench.clean().await;
}

fn refused(outcome: Outcome) -> OperationError {
    match outcome {
        Outcome::Error { error } => error,
        other => panic!("it was not refused: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn executor_refuses_requests_over_the_owners_caps() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy {
        most_memory_bytes: Some(400 << 20),
        each_memory_bytes: Some(300 << 20),
        each_workspace_bytes: Some(100 << 20),
        each_cpus: Some(1.0),
        each_pids: Some(100),
        ..OwnerPolicy::default()
    })
    .await;
    // The executor has connected to its engine.
    machine.executor.machine().await;
    for (pointer, change) in [
        (
            "/limits/memory_bytes",
            (|spec| spec.limits.memory_bytes = 64 << 30) as fn(&mut SandboxSpec),
        ),
        ("/limits/workspace_bytes", |spec| {
            spec.limits.workspace_bytes = 101 << 20;
        }),
        ("/limits/nano_cpus", |spec| {
            spec.limits.nano_cpus = 1_100_000_000;
        }),
        ("/limits/pids", |spec| spec.limits.pids = 32_768),
    ] {
        let mut spec = bench.spec();
        change(&mut spec);
        let error = refused(machine.provision(&spec).await);
        assert_eq!(error.kind, ErrorKind::OwnerPolicy, "{error:?}");
        assert_eq!(error.pointer.as_deref(), Some(pointer), "{error:?}");
    }
    let first = bench.spec();
    let made = machine.provision(&first).await;
    assert!(matches!(made, Outcome::Provisioned { .. }), "{made:?}");
    let error = refused(machine.provision(&bench.spec()).await);
    assert_eq!(error.kind, ErrorKind::Busy, "{error:?}");
    assert!(
        error.detail.contains("112.0 MiB of memory too much"),
        "{error:?}"
    );
    // A restart keeps all promises.
    machine.again().await;
    let error = refused(machine.provision(&bench.spec()).await);
    assert_eq!(error.kind, ErrorKind::Busy, "{error:?}");
    machine.destroy(&first, false).await;
    let second = bench.spec();
    let made = machine.provision(&second).await;
    assert!(matches!(made, Outcome::Provisioned { .. }), "{made:?}");
    machine.destroy(&second, false).await;
    machine.executor.shutdown().await;
}
