//! Files that are stored on request: the answer names the latest snapshot.
use roost_protocol::ids::SandboxId;
use roost_protocol::operation::{Flush, Operation, OperationRequest};
use roost_protocol::report::{ErrorKind, Outcome};
use roost_protocol::snapshot::Stored;
use uuid::Uuid;

use crate::gateway::{Gateway, Peer};
use crate::sandbox::{Machine, request, sandbox, shell};

fn flush(sandbox: SandboxId) -> OperationRequest {
    request(Operation::SbFlush(Flush {
        sandbox,
        deadline_s: 60,
    }))
}

async fn flushed(peer: &mut Peer, request: &OperationRequest) -> Stored {
    match peer.run(request).await.outcome {
        Outcome::Flushed { snapshot } => snapshot,
        other => panic!("no snapshot: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flush_names_the_files_that_are_there_when_it_is_asked() {
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, hello) = Machine::start(&mut gateway).await;
    assert!(hello.capabilities.flush);
    let sandbox = sandbox(&mut peer).await;
    // The time of a file is a part of the snapshot.
    let write = |text: &str| {
        let script =
            format!("echo {text} > /workspace/note; touch -d @0 /workspace/note /workspace");
        shell(sandbox, &script)
    };
    peer.run(&write("one")).await;
    let first = flush(sandbox);
    let one = flushed(&mut peer, &first).await;
    assert_eq!((one.sandbox, one.files), (sandbox, 1));
    // Nothing changed: the same snapshot, which was not taken again.
    assert_eq!(flushed(&mut peer, &flush(sandbox)).await, one);
    peer.run(&write("two")).await;
    let two = flushed(&mut peer, &flush(sandbox)).await;
    assert_ne!(two.digest, one.digest);
    assert!(two.taken_at_s > one.taken_at_s, "{one:?} {two:?}");
    // The files are those of before, and so is the digest.
    peer.run(&write("one")).await;
    let again = flushed(&mut peer, &flush(sandbox)).await;
    assert_eq!(again.digest, one.digest);
    assert!(again.taken_at_s > two.taken_at_s, "{two:?} {again:?}");
    // A repeated request has the answer of then, also on another connection.
    peer.run(&write("three")).await;
    assert_eq!(flushed(&mut peer, &first).await, one);
}

#[tokio::test(flavor = "multi_thread")]
async fn flush_of_a_sandbox_that_is_not_here_fails_with_its_reason() {
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, _) = Machine::start(&mut gateway).await;
    let nowhere = flush(SandboxId(Uuid::now_v7()));
    let ended = peer.run(&nowhere).await;
    assert!(
        matches!(&ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::NoSandbox),
        "{ended:?}"
    );
    let mut endless = flush(SandboxId(Uuid::now_v7()));
    if let Operation::SbFlush(flush) = &mut endless.operation {
        flush.deadline_s = 3_600;
    }
    let ended = peer.run(&endless).await;
    assert!(
        matches!(&ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::Invalid),
        "{ended:?}"
    );
}
