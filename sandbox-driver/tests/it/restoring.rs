//! A sandbox whose workspace is being restored.
use roost_protocol::operation::{Operation, Provision};
use roost_protocol::report::Outcome;
use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::executor::OwnerPolicy;

use crate::support::{Bench, Machine};

#[tokio::test]
async fn sandbox_gets_no_snapshot_before_its_workspace_is_restored() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy::default()).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let files = "for n in $(seq 3000); do echo $n > file-$n; done";
    let id = machine.run(&spec, spec.sandbox, files);
    machine.receive(&[id]).await;
    let stored = machine.stored().await;
    assert_eq!(stored.files, 3000);
    machine.destroy(&spec, true).await;

    let next = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    let asked = Operation::SbProvision(Provision {
        spec: next.clone(),
        restore: Some(stored.digest.clone()),
    });
    let made = machine.ask(&next, asked);
    let executor = machine.executor.clone();
    // A session that begins, a drain and a reconciliation look at the engine's sandboxes at any moment.
    let looks = tokio::spawn(async move {
        loop {
            executor.inventory().await;
        }
    });
    let made = machine.receive(&[made]).await.remove(&made);
    let made = made.and_then(|made| made.ended).expect("an end").outcome;
    assert!(matches!(made, Outcome::Provisioned { .. }), "{made:?}");
    looks.abort();
    let id = machine.run(&next, next.sandbox, "rm file-1");
    machine.receive(&[id]).await;
    let last = machine.stored().await;
    assert_eq!(last.files, 2999);
    let mut told = machine.snapshots.clone();
    // An unchanged workspace is told again when its sandbox ends.
    told.dedup();
    assert_eq!(told, [stored, last], "one before and one after");
    machine.destroy(&next, false).await;
}
