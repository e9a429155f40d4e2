//! Sandboxes on the real engine for these tests.
use std::collections::BTreeMap;
use std::process::Command;

use roost_protocol::frame::ToGateway;
use roost_protocol::hello::Hello;
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::output::Piece;
use roost_protocol::report::{Ended, Outcome, Report, Terminal};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use uuid::Uuid;

use crate::daemon::Daemon;
use crate::gateway::{Gateway, Peer};

/// The engine's socket.
pub fn engine() -> String {
    std::env::var("DOCKER_HOST").unwrap_or_else(|_| "unix:///var/run/docker.sock".into())
}

/// An image with the guest and a shell.
pub fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".into())
}

/// A joined daemon on the real engine. Everything that it made is removed at the end.
pub struct Machine {
    pub daemon: Daemon,
    install: String,
}

impl Machine {
    pub async fn start(gateway: &mut Gateway) -> (Self, Peer, Hello) {
        let mut machine = Self::joined(gateway);
        machine.daemon.run_with(&["--second-ms", "20"], &[]);
        let (peer, hello) = gateway.session().await;
        assert!(
            hello.capabilities.engine.is_some(),
            "these tests need a container engine at {}",
            engine()
        );
        (machine, peer, hello)
    }

    pub fn joined(gateway: &Gateway) -> Self {
        Self::joined_with(gateway, &engine())
    }

    pub fn joined_with(gateway: &Gateway, engine: &str) -> Self {
        let daemon = Daemon::joined(gateway, engine);
        let install = std::fs::read_to_string(daemon.file("install-id")).expect("an id");
        Self { daemon, install }
    }

    /// Names of this installation's containers, from the engine.
    pub fn containers(&self) -> Vec<String> {
        let filter = format!("label=org.roost.owner={}", self.install);
        let output = Command::new("docker")
            .env("DOCKER_HOST", engine())
            .args(["ps", "--all", "--format", "{{.Names}}", "--filter", &filter])
            .output()
            .expect("docker runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for name in self.containers() {
            let _ = Command::new("docker")
                .env("DOCKER_HOST", engine())
                .args(["rm", "--force", &name])
                .output();
        }
    }
}

pub fn spec(sandbox: SandboxId) -> SandboxSpec {
    SandboxSpec {
        sandbox,
        workspace: Uuid::now_v7().into(),
        agent: Uuid::now_v7().into(),
        node: None,
        epoch: 1,
        image: image(),
        image_digest: None,
        limits: Limits {
            memory_bytes: 256 << 20,
            workspace_bytes: 64 << 20,
            nano_cpus: 1_000_000_000,
            pids: 64,
        },
        env: BTreeMap::new(),
        lease_s: 3600,
    }
}

/// A request with an id that the test chooses.
pub fn request(operation: Operation) -> OperationRequest {
    let on_behalf = match &operation {
        Operation::SbProvision(provision) => Some(OnBehalf {
            workspace: provision.spec.workspace,
            agent: provision.spec.agent,
        }),
        Operation::SbExec(_)
        | Operation::SbDestroy(_)
        | Operation::SbHealth(_)
        | Operation::SbFlush(_) => Some(OnBehalf {
            workspace: Uuid::now_v7().into(),
            agent: Uuid::now_v7().into(),
        }),
        _ => None,
    };
    OperationRequest {
        purpose: None,
        id: OperationId(Uuid::now_v7()),
        on_behalf,
        operation,
    }
}

pub fn provision(sandbox: SandboxId) -> OperationRequest {
    request(Operation::SbProvision(Provision {
        spec: spec(sandbox),
        restore: None,
    }))
}

/// A shell command.
pub fn shell(sandbox: SandboxId, script: &str) -> OperationRequest {
    request(Operation::SbExec(Exec {
        sandbox,
        argv: vec!["/bin/sh".into(), "-c".into(), script.into()],
        cwd: None,
        env: BTreeMap::new(),
        stdin: false,
        tty: None,
        deadline_s: 60,
    }))
}

/// A running sandbox.
pub async fn sandbox(peer: &mut Peer) -> SandboxId {
    let sandbox = SandboxId(Uuid::now_v7());
    let request = provision(sandbox);
    let ended = peer.run(&request).await;
    assert!(
        matches!(ended.outcome, Outcome::Provisioned { .. }),
        "{ended:?}"
    );
    sandbox
}

/// Everything that a test received about one command.
#[derive(Debug, Default)]
pub struct Received {
    pub bytes: Vec<u8>,
    pub next: u64,
    pub gaps: Vec<(u64, u64)>,
    pub ended: Option<Ended>,
}

impl Received {
    /// Adds a message about this operation; output must be contiguous.
    pub fn take(&mut self, id: OperationId, message: &ToGateway) {
        match message {
            ToGateway::Output(chunk) if chunk.operation == id => {
                assert_eq!(chunk.piece.start(), self.next, "output is one sequence");
                self.next = chunk.piece.end();
                match &chunk.piece {
                    Piece::Data { data, .. } => self.bytes.extend_from_slice(data),
                    Piece::Gap { from, to } => self.gaps.push((*from, *to)),
                }
            }
            ToGateway::Report(report) if report.operation == id => {
                if let Report::Ended(ended) = &report.report {
                    if let Some(known) = &self.ended {
                        assert_eq!(known, ended, "an operation has one end");
                    }
                    self.ended = Some(ended.clone());
                }
            }
            _ => {}
        }
    }

    pub fn whole(&self) -> bool {
        self.ended
            .as_ref()
            .is_some_and(|ended| self.next >= ended.output_end)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn code(&self) -> Option<i32> {
        match &self.ended.as_ref()?.outcome {
            Outcome::Exited { code } => Some(*code),
            _ => None,
        }
    }

    pub fn state(&self) -> Option<Terminal> {
        Some(self.ended.as_ref()?.state)
    }
}
