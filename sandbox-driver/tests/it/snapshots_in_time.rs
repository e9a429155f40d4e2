//! When a workspace is saved without a command's end: while a long command works, when there are too many files, at the end of
//! a lease.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use roost_protocol::control::GoneCause;
use roost_protocol::report::Outcome;
use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::executor::ExecutorClock;

use crate::support::{Bench, Machine};

#[tokio::test]
async fn long_command_is_saved_while_it_works() {
    let bench = Bench::new().await;
    let mut machine = Machine::start_snapping(Duration::from_millis(300)).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let id = machine.run(&spec, spec.sandbox, "echo early > file; exec sleep 600");
    let stored = machine.stored().await;
    assert_eq!(stored.files, 1);
    // The command still runs when its sandbox is lost.
    let container = format!("roost-{}", spec.sandbox);
    let killed = std::process::Command::new("docker")
        .args(["rm", "-f", &container])
        .output()
        .unwrap();
    assert!(killed.status.success());
    let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_ne!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    let next = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    machine.provision_from(&next, Some(&stored.digest)).await;
    let id = machine.run(&next, next.sandbox, "test \"$(cat file)\" = early");
    let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    machine.destroy(&next, false).await;
}

#[tokio::test]
async fn workspace_with_too_many_files_is_told_once_with_advice_and_the_last_snapshot_stays() {
    let bench = Bench::new().await;
    let mut machine = Machine::start_snapping(Duration::from_millis(300)).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let id = machine.run(&spec, spec.sandbox, "echo kept > file");
    machine.receive(&[id]).await;
    let before = machine.stored().await;
    let many = "mkdir many; cd many; seq 1 250001 | xargs touch";
    let id = machine.run(&spec, spec.sandbox, many);
    let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    let detail = machine.not_stored().await;
    assert!(detail.contains(".roostignore"), "{detail}");
    // What was saved before stays: at least the first file is in it.
    let latest = machine.executor.inventory().await.stored;
    assert!(latest[0].files >= before.files, "{latest:?}");
    // With the advice followed, it is saved again.
    let id = machine.run(&spec, spec.sandbox, "echo many > .roostignore");
    machine.receive(&[id]).await;
    let after = machine.stored().await;
    assert_eq!(after.files, 2, "{:?}", after.left_out);
    machine.destroy(&spec, false).await;
}

#[tokio::test]
async fn sandbox_whose_lease_ends_is_stored_and_its_files_come_back() {
    let bench = Bench::new().await;
    let ahead = Arc::new(AtomicU64::new(0));
    let (began, jump) = (Instant::now(), ahead.clone());
    let clock = ExecutorClock::new(SystemTime::now, move || {
        began.elapsed() + Duration::from_secs(jump.load(Ordering::SeqCst))
    });
    let mut machine = Machine::start_as(|config| config.clock = clock).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let id = machine.run(&spec, spec.sandbox, "echo kept > file");
    machine.receive(&[id]).await;
    let stored = machine.stored().await;
    ahead.store(spec.lease_s + 1, Ordering::SeqCst);
    assert_eq!(machine.gone().await, (spec.sandbox, GoneCause::LeaseOver));
    let next = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    machine.provision_from(&next, Some(&stored.digest)).await;
    let id = machine.run(&next, next.sandbox, "test \"$(cat file)\" = kept");
    let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    machine.destroy(&next, false).await;
}
