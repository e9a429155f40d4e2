//! An executor that is shut down inside its process: commands continue in their guests, the folder is released, and the
//! next executor continues.
use std::path::Path;
use std::time::{Duration, Instant};

use roost_protocol::control::Control;
use roost_protocol::ids::{InstallId, OperationId};
use roost_protocol::operation::{Destroy, Exec, OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::report::{Ended, Outcome, Report};
use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::executor::{
    Event, Events, Executor, ExecutorClock, ExecutorConfig, ExecutorHandle, OwnerPolicy,
    SNAPSHOTS_EVERY,
};
use uuid::Uuid;

use crate::support::{Bench, operation};

async fn executor(folder: &Path, install: Uuid) -> (ExecutorHandle, Events) {
    let config = ExecutorConfig {
        snapshots_every: SNAPSHOTS_EVERY,
        state_dir: folder.to_owned(),
        node: None,
        install: InstallId(install),
        engine: None,
        image: None,
        policy: OwnerPolicy::default(),
        clock: ExecutorClock::system(),
        remote: None,
        images: None,
    };
    Executor::start(config).await.expect("the folder is free")
}

fn request(spec: &SandboxSpec, operation_: Operation) -> OperationRequest {
    OperationRequest {
        purpose: None,
        id: operation(),
        on_behalf: Some(OnBehalf {
            workspace: spec.workspace,
            agent: spec.agent,
        }),
        operation: operation_,
    }
}

async fn end_of(events: &mut Events, id: OperationId) -> Ended {
    let ended = async {
        while let Some(event) = events.next().await {
            if let Event::Report(report) = event
                && report.operation == id
                && let Report::Ended(ended) = report.report
            {
                return ended;
            }
        }
        panic!("the executor stopped")
    };
    tokio::time::timeout(Duration::from_secs(60), ended)
        .await
        .expect("an end in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_leaves_commands_running_and_the_next_executor_in_this_process_ends_them() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    let (folder, install) = (tempfile::tempdir().expect("a folder"), Uuid::now_v7());
    let (first, mut events) = executor(folder.path(), install).await;
    let provision = request(
        &spec,
        Operation::SbProvision(Provision {
            spec: spec.clone(),
            restore: None,
        }),
    );
    first.operation(provision.clone());
    let made = end_of(&mut events, provision.id).await;
    assert!(
        matches!(made.outcome, Outcome::Provisioned { .. }),
        "{made:?}"
    );
    let shell = |script: &str| {
        request(
            &spec,
            Operation::SbExec(Exec {
                sandbox: spec.sandbox,
                argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
                cwd: None,
                env: Default::default(),
                stdin: false,
                tty: None,
                deadline_s: 60,
            }),
        )
    };
    let long = shell("echo up; while [ ! -e go ]; do sleep 0.1; done; exit 7");
    first.operation(long.clone());
    while !matches!(events.next().await, Some(Event::Output(_))) {}

    let began = Instant::now();
    first.shutdown().await;
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    assert!(events.next().await.is_none());
    // Messages after this are for the next executor: nothing is written here.
    first.operation(shell("exit 1"));

    let (second, mut events) = executor(folder.path(), install).await;
    let go = shell("touch go");
    second.operation(go.clone());
    assert_eq!(
        end_of(&mut events, go.id).await.outcome,
        Outcome::Exited { code: 0 }
    );
    second.control(Control::Replay {
        operation: long.id,
        from: 0,
    });
    assert_eq!(
        end_of(&mut events, long.id).await.outcome,
        Outcome::Exited { code: 7 }
    );
    let destroy = Destroy {
        sandbox: spec.sandbox,
        archive: false,
    };
    let destroy = request(&spec, Operation::SbDestroy(destroy));
    second.operation(destroy.clone());
    end_of(&mut events, destroy.id).await;
    second.shutdown().await;
}
