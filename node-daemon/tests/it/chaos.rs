//! Kills the daemon at every named kill point: each operation still ends once, starts at most once, and nothing is left
//! over.
use std::os::unix::process::ExitStatusExt;

use roost_protocol::control::Control;
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::SandboxId;
use roost_protocol::operation::{Destroy, Operation, OperationRequest};
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_sandbox_driver::executor::chaos::{KILL_POINTS, KillPoint};
use uuid::Uuid;

use crate::gateway::{Gateway, Peer};
use crate::sandbox::{Machine, Received, provision, request, shell};

/// One machine whose daemon is killed once.
struct History {
    gateway: Gateway,
    machine: Machine,
    peer: Peer,
    sandbox: SandboxId,
    deaths: u32,
}

impl History {
    async fn begin(point: &str) -> Self {
        let mut gateway = Gateway::start().await;
        let mut machine = Machine::joined(&gateway);
        let chaos = [("ROOST_CHAOS", "allow"), ("ROOST_KILL_POINT", point)];
        machine.daemon.run_with(&["--second-ms", "20"], &chaos);
        let (peer, _) = gateway.session().await;
        Self {
            gateway,
            machine,
            peer,
            sandbox: SandboxId(Uuid::now_v7()),
            deaths: 0,
        }
    }

    /// The daemon died at the kill point. Starts it again and sends what is waited for, as a gateway does.
    async fn again(&mut self, waiting: &OperationRequest, said: &Received) {
        let status = self.machine.daemon.wait();
        assert_eq!(
            status.signal(),
            Some(6),
            "only the kill point ends it: {status}"
        );
        self.deaths += 1;
        self.machine.daemon.run_with(&["--second-ms", "20"], &[]);
        let (peer, _) = self.gateway.session().await;
        self.peer = peer;
        let sandboxes = vec![self.sandbox];
        self.peer
            .control(Control::Reconcile {
                waiting: vec![waiting.id],
                sandboxes,
                grace_s: 3600,
                kept: None,
            })
            .await;
        self.peer
            .control(Control::Replay {
                operation: waiting.id,
                from: said.next,
            })
            .await;
    }

    /// Sends an operation and follows it to its end, across restarts.
    async fn carry_through(&mut self, wanted: &OperationRequest) -> Received {
        let mut said = Received::default();
        self.peer.send(ToNode::Operation(wanted.clone())).await;
        while !said.whole() {
            let Some(frame) = self.peer.try_frame().await else {
                self.again(wanted, &said).await;
                continue;
            };
            if matches!(&frame.message, ToGateway::Report(report) if report.operation == wanted.id && report.report == Report::NeverSeen)
            {
                self.peer.send(ToNode::Operation(wanted.clone())).await;
            }
            said.take(wanted.id, &frame.message);
            // A replay that was requested before the stream was there again is requested again, as a gateway does at
            // the end.
            if said.ended.is_some() && !said.whole() {
                self.peer
                    .control(Control::Replay {
                        operation: wanted.id,
                        from: said.next,
                    })
                    .await;
            }
        }
        said
    }
}

/// Provision, command, acknowledgement, destroy; killed once at this point.
async fn history(point: &str) {
    let mut history = History::begin(point).await;
    let sandbox = history.sandbox;
    let made = history.carry_through(&provision(sandbox)).await;
    assert_eq!(made.state(), Some(Terminal::Done), "{point}: {made:?}");
    assert_eq!(history.machine.containers().len(), 1, "{point}");
    let command = shell(sandbox, "echo started >> runs; echo done");
    let ran = history.carry_through(&command).await;
    assert_eq!(
        (ran.code(), ran.text().as_str()),
        (Some(0), "done\n"),
        "{point}: {ran:?}"
    );
    history
        .peer
        .control(Control::Ack {
            operation: command.id,
        })
        .await;
    let runs = history.carry_through(&shell(sandbox, "cat runs")).await;
    assert_eq!(
        runs.text(),
        "started\n",
        "{point}: a command starts at most once"
    );
    let destroy = request(Operation::SbDestroy(Destroy {
        sandbox,
        archive: true,
    }));
    let gone = history.carry_through(&destroy).await;
    let outcome = gone.ended.as_ref().map(|ended| &ended.outcome);
    assert!(
        matches!(outcome, Some(Outcome::Destroyed { archive: Some(_) })),
        "{point}: {gone:?}"
    );
    assert_eq!(
        history.machine.containers(),
        Vec::<String>::new(),
        "{point}"
    );
    assert_eq!(history.deaths, 1, "{point} was not passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kill_point_is_survived() {
    for (point, name, _) in KILL_POINTS {
        match point {
            // The ledger's own tests cover these points: see `ledger/tests.rs` of the driver.
            KillPoint::CompactWritten | KillPoint::CompactRenamed => {}
            // Every kind of work passes these: provision, command, second command, destroy.
            KillPoint::Asked | KillPoint::Accepted => {
                for turn in 1..=4 {
                    history(&format!("{name}:{turn}")).await;
                }
            }
            KillPoint::ProvisionMade
            | KillPoint::ProvisionEnded
            | KillPoint::ExecLinked
            | KillPoint::ExecAsked
            | KillPoint::ExecOutput
            | KillPoint::ExecExited
            | KillPoint::ExecEnded
            | KillPoint::DestroyArchived
            | KillPoint::DestroyRemoved
            | KillPoint::DestroyEnded
            | KillPoint::SnapshotPacked
            | KillPoint::SnapshotRecorded
            | KillPoint::AckTaken => history(name).await,
        }
    }
}
