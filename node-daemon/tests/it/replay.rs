//! Commands in real sandboxes: output by offset, across lost connections and killed daemons.
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::SandboxId;
use roost_protocol::operation::{Destroy, Exec, Health, List, Operation, TtySize};
use roost_protocol::report::{ErrorKind, Outcome, Report, Terminal};
use uuid::Uuid;

use crate::gateway::Gateway;
use crate::sandbox::{Machine, Received, provision, request, sandbox, shell};

#[tokio::test(flavor = "multi_thread")]
async fn command_runs_streams_ends_and_appears_in_status() {
    let mut gateway = Gateway::start().await;
    let (machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let command = shell(sandbox, "echo out; echo err >&2; exit 7");
    peer.send(ToNode::Operation(command.clone())).await;
    let mut said = Received::default();
    peer.follow(command.id, &mut said).await;
    assert_eq!(said.code(), Some(7));
    assert!(said.text().contains("out\n") && said.text().contains("err\n"));
    // The live status.
    let long = shell(sandbox, "echo begun; sleep 600");
    peer.send(ToNode::Operation(long.clone())).await;
    peer.until(|message| {
        matches!(message, ToGateway::Output(chunk) if chunk.operation == long.id).then_some(())
    })
    .await;
    let status = machine.daemon.call(&["status"]);
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    let id = sandbox.to_string();
    assert!(
        text.contains("sleep 600") && text.contains(&id[id.len() - 8..]) && !text.contains(&id),
        "{text}"
    );
    peer.control(Control::Cancel { operation: long.id }).await;
    assert_eq!(peer.end_of(long.id).await.state, Terminal::Cancelled);
    // Health, list, destroy.
    let health = peer
        .run(&request(Operation::SbHealth(Health { sandbox })))
        .await;
    assert!(
        matches!(health.outcome, Outcome::Healthy { health } if health.guest && health.running == 0)
    );
    let listed = peer.run(&request(Operation::SbList(List {}))).await;
    assert!(
        matches!(&listed.outcome, Outcome::Listed { sandboxes } if sandboxes.len() == 1),
        "{listed:?}"
    );
    let destroyed = peer
        .run(&request(Operation::SbDestroy(Destroy {
            sandbox,
            archive: true,
        })))
        .await;
    assert!(
        matches!(&destroyed.outcome, Outcome::Destroyed { archive: Some(_) }),
        "{destroyed:?}"
    );
    assert_eq!(machine.containers(), Vec::<String>::new());
    let gone = peer.run(&shell(sandbox, "true")).await;
    assert!(
        matches!(&gone.outcome, Outcome::Error { error } if error.kind == ErrorKind::NoSandbox),
        "{gone:?}"
    );
    let log = String::from_utf8_lossy(&machine.daemon.call(&["log"]).stdout).into_owned();
    assert!(
        log.contains("exit 7") && log.contains("remove sandbox") && !log.contains("sb_"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn output_continues_by_offset_after_a_lost_connection() {
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let command = shell(
        sandbox,
        "i=0; while [ $i -lt 60000 ]; do echo line $i; i=$((i+1)); done",
    );
    peer.send(ToNode::Operation(command.clone())).await;
    let mut said = Received::default();
    while said.next < 50_000 {
        let message = peer.frame().await.message;
        said.take(command.id, &message);
    }
    peer.cut();
    let (mut peer, hello) = gateway.session().await;
    assert!(
        hello
            .inventory
            .operations
            .iter()
            .any(|entry| entry.operation == command.id)
    );
    peer.control(Control::Replay {
        operation: command.id,
        from: said.next,
    })
    .await;
    peer.follow(command.id, &mut said).await;
    let wanted: String = (0..60000).map(|i| format!("line {i}\n")).collect();
    assert!(said.gaps.is_empty());
    assert!(
        said.text() == wanted,
        "{} bytes of {}",
        said.bytes.len(),
        wanted.len()
    );
    // After its end and acknowledgement, the last part can still be requested; the rest is a marked gap or there.
    peer.control(Control::Ack {
        operation: command.id,
    })
    .await;
    let from = said.next - 100;
    peer.control(Control::Replay {
        operation: command.id,
        from,
    })
    .await;
    let mut again = Received {
        next: from,
        ..Received::default()
    };
    while again.next < said.next {
        let message = peer.frame().await.message;
        again.take(command.id, &message);
    }
    assert_eq!(
        again.bytes,
        wanted.as_bytes()[usize::try_from(from).expect("small")..]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn command_survives_a_daemon_crash_and_is_resumed() {
    let mut gateway = Gateway::start().await;
    let (mut machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let command = shell(
        sandbox,
        "echo started >> runs; echo one; while [ ! -e go ]; do sleep 0.1; done; echo two; cat runs",
    );
    peer.send(ToNode::Operation(command.clone())).await;
    let mut said = Received::default();
    while said.next < 4 {
        let message = peer.frame().await.message;
        said.take(command.id, &message);
    }
    machine.daemon.kill();
    machine.daemon.run_with(&["--second-ms", "20"], &[]);
    let (mut peer, hello) = gateway.session().await;
    let entry = hello
        .inventory
        .operations
        .iter()
        .find(|entry| entry.operation == command.id)
        .expect("it is under way");
    assert_eq!(entry.ended, None);
    peer.control(Control::Replay {
        operation: command.id,
        from: said.next,
    })
    .await;
    // Do not wait for it: frames before its end would be skipped, and a second request may repeat output.
    peer.send(ToNode::Operation(shell(sandbox, "touch go")))
        .await;
    peer.follow(command.id, &mut said).await;
    assert_eq!(
        said.text(),
        "one\ntwo\nstarted\n",
        "started once, nothing lost, nothing twice"
    );
    assert_eq!(said.state(), Some(Terminal::Done));
}

#[tokio::test(flavor = "multi_thread")]
async fn command_without_its_sandbox_is_lost() {
    let mut gateway = Gateway::start().await;
    let (mut machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let command = shell(sandbox, "echo one; sleep 600");
    peer.send(ToNode::Operation(command.clone())).await;
    peer.until(|message| {
        matches!(message, ToGateway::Output(chunk) if chunk.operation == command.id).then_some(())
    })
    .await;
    machine.daemon.kill();
    let name = machine.containers().remove(0);
    let removed = std::process::Command::new("docker")
        .args(["rm", "--force", &name])
        .output()
        .expect("docker runs");
    assert!(removed.status.success());
    machine.daemon.run_with(&["--second-ms", "20"], &[]);
    let (mut peer, _) = gateway.session().await;
    let ended = peer.end_of(command.id).await;
    assert_eq!(ended.state, Terminal::Lost);
    assert_eq!(ended.output_end, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_by_offset_terminals_and_deadlines() {
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    let exec = |argv: &[&str], stdin, tty, deadline_s| {
        request(Operation::SbExec(Exec {
            sandbox,
            argv: argv.iter().map(|&arg| arg.to_owned()).collect(),
            cwd: Some("/tmp".into()),
            env: [("GREETING".to_owned(), "hi".to_owned())].into(),
            stdin,
            tty,
            deadline_s,
        }))
    };
    let cat = exec(&["/bin/cat"], true, None, 60);
    peer.send(ToNode::Operation(cat.clone())).await;
    let stdin = |offset, data: &str, eof| Control::Stdin {
        operation: cat.id,
        offset,
        data: data.as_bytes().to_vec(),
        eof,
    };
    peer.until(|message| matches!(message, ToGateway::Report(report) if report.operation == cat.id && report.report == Report::Accepted).then_some(())).await;
    let mut said = Received::default();
    peer.control(stdin(0, "abc", false)).await;
    peer.control(stdin(0, "abc", false)).await;
    peer.control(stdin(3, "def", true)).await;
    let mut taken = 0;
    while !said.whole() || taken < 6 {
        let message = peer.frame().await.message;
        if let ToGateway::Reply(ControlReply::StdinTaken { offset, .. }) = &message {
            taken = *offset;
        }
        said.take(cat.id, &message);
    }
    assert_eq!(said.text(), "abcdef");
    let tty = exec(
        &["/bin/sh", "-c", "stty size; pwd; echo $GREETING"],
        false,
        Some(TtySize {
            rows: 40,
            cols: 100,
        }),
        60,
    );
    peer.send(ToNode::Operation(tty.clone())).await;
    let mut said = Received::default();
    peer.follow(tty.id, &mut said).await;
    assert_eq!(said.text(), "40 100\r\n/tmp\r\nhi\r\n");
    let slow = exec(&["/bin/sh", "-c", "sleep 600 & sleep 600"], false, None, 1);
    let ended = peer.run(&slow).await;
    assert!(
        matches!(&ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::Deadline),
        "{ended:?}"
    );
    let missing = peer.run(&exec(&["/no/such"], false, None, 1)).await;
    assert!(
        matches!(&missing.outcome, Outcome::Error { error } if error.kind == ErrorKind::NotStarted),
        "{missing:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_output_is_capped_reported_and_does_not_block_others() {
    let mut gateway = Gateway::start().await;
    let (_machine, mut peer, _) = Machine::start(&mut gateway).await;
    let sandbox = sandbox(&mut peer).await;
    // No credit for this one.
    let flood = shell(sandbox, "head -c 40000000 /dev/zero");
    peer.send(ToNode::Operation(flood.clone())).await;
    let quick = peer.run(&shell(sandbox, "true")).await;
    assert!(matches!(quick.outcome, Outcome::Exited { code: 0 }));
    let mut said = Received::default();
    peer.control(Control::Replay {
        operation: flood.id,
        from: 0,
    })
    .await;
    while said.ended.is_none() {
        let message = peer.frame().await.message;
        if !matches!(&message, ToGateway::Output(_)) {
            said.take(flood.id, &message);
        }
    }
    let ended = said.ended.clone().expect("ended");
    assert_eq!(ended.output_end, 16 << 20);
    assert_eq!(ended.output_end + ended.output_dropped, 40_000_000);
    peer.control(Control::Replay {
        operation: flood.id,
        from: 0,
    })
    .await;
    // Pieces of the first replay may still be on the way.
    let mut all = Received {
        ended: Some(ended),
        ..Received::default()
    };
    let mut granted = 0;
    while !all.whole() {
        let message = peer.frame().await.message;
        if matches!(&message, ToGateway::Output(chunk) if chunk.piece.start() == all.next) {
            all.take(flood.id, &message);
        }
        if all.next > granted {
            granted = all.next + 100_000;
            peer.control(Control::Credit {
                operation: flood.id,
                up_to: all.next + 256 * 1024,
            })
            .await;
        }
    }
    assert!(all.gaps.is_empty() && all.bytes.iter().all(|byte| *byte == 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_removes_everything() {
    let mut gateway = Gateway::start().await;
    let (mut machine, mut peer, _) = Machine::start(&mut gateway).await;
    let first = sandbox(&mut peer).await;
    let second = sandbox(&mut peer).await;
    peer.run(&request(Operation::SbDestroy(Destroy {
        sandbox: second,
        archive: true,
    })))
    .await;
    assert_eq!(machine.containers().len(), 1);
    assert!(
        std::fs::read_dir(machine.daemon.file("executor/snapshots/agents"))
            .expect("snapshots")
            .next()
            .is_some()
    );
    let left = machine.daemon.call(&["leave", "--yes"]);
    assert!(left.status.success(), "{left:?}");
    assert!(
        String::from_utf8_lossy(&left.stdout).contains("Sandboxes ended: 1"),
        "{left:?}"
    );
    assert!(machine.daemon.wait().success());
    assert_eq!(
        machine.containers(),
        Vec::<String>::new(),
        "{first} is still there"
    );
    assert!(!machine.daemon.state().exists());
    assert_eq!(gateway.leaves(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn draining_machine_refuses_new_work_and_reports_when_empty() {
    let mut gateway = Gateway::start().await;
    let (machine, mut peer, _) = Machine::start(&mut gateway).await;
    let held = sandbox(&mut peer).await;
    peer.control(Control::Drain { on: true, turn: 4 }).await;
    let said = |empty: bool| {
        move |message: &ToGateway| {
            matches!(message, ToGateway::Reply(ControlReply::Draining { on: true, turn: 4, empty: it }) if *it == empty).then_some(())
        }
    };
    peer.until(said(false)).await;
    let refused = peer.run(&provision(SandboxId(Uuid::now_v7()))).await;
    assert!(
        matches!(&refused.outcome, Outcome::Error { error } if error.kind == ErrorKind::Draining),
        "{refused:?}"
    );
    assert!(matches!(
        peer.run(&shell(held, "true")).await.outcome,
        Outcome::Exited { code: 0 }
    ));
    let destroy = request(Operation::SbDestroy(Destroy {
        sandbox: held,
        archive: false,
    }));
    peer.send(ToNode::Operation(destroy)).await;
    peer.until(said(true)).await;
    assert_eq!(machine.containers(), Vec::<String>::new());
}
