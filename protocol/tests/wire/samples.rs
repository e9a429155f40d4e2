//! One sample of each message variant, with fixed ids, by the name of its golden file.
use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::guest::{ExitCause, FromGuest, Process, ToGuest};
use roost_protocol::hello::{
    Capabilities, Engine, Hello, ImageState, Refused, RefusedReason, Welcome,
};
use roost_protocol::ids::{ConnectionEpoch, OperationId, SandboxId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::operation::{
    Destroy, Exec, Health, List, OnBehalf, Operation, OperationRequest, Provision, TtySize, Verify,
};
use roost_protocol::output::{OutputChunk, Piece, StreamName};
use roost_protocol::report::{
    ArchiveFacts, Ended, ErrorKind, OperationError, OperationReport, Outcome, Report, Terminal,
};
use roost_protocol::sandbox::{
    ContainerState, Limits, SandboxFacts, SandboxHealth, SandboxSpec, WorkspaceState,
};
use roost_protocol::verify::{Check, Level, ProbedFact, VerifyReport};
use roost_protocol::version::{Version, VersionRange};
use roost_protocol::vitals::{Heartbeat, NodeTools, Psi, Tool};
use uuid::Uuid;

/// A sample's name and value.
pub type Named<M> = (&'static str, M);

fn id(n: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | n)
}

pub fn operation_id() -> OperationId {
    id(1).into()
}

fn sandbox_id() -> SandboxId {
    id(2).into()
}

fn behalf() -> OnBehalf {
    OnBehalf {
        workspace: id(3).into(),
        agent: id(4).into(),
    }
}

const VERSION: Version = Version { major: 1, minor: 0 };

fn request(on_behalf: Option<OnBehalf>, operation: Operation) -> ToNode {
    ToNode::Operation(OperationRequest {
        id: operation_id(),
        on_behalf,
        operation,
    })
}

pub fn spec() -> SandboxSpec {
    SandboxSpec {
        sandbox: sandbox_id(),
        workspace: behalf().workspace,
        agent: behalf().agent,
        node: Some(id(5).into()),
        epoch: 7,
        image: "registry.example:5000/roost-agent:dev".into(),
        image_digest: Some(format!("sha256:{}", "a1".repeat(32))),
        limits: Limits::default(),
        env: [("LANG".to_owned(), "C.UTF-8".to_owned())].into(),
        lease_s: 86_400,
    }
}

pub fn exec() -> Exec {
    Exec {
        sandbox: sandbox_id(),
        argv: vec!["sh".into(), "-c".into(), "echo ä; exit 3".into()],
        cwd: Some("/workspace".into()),
        env: [("A".to_owned(), "1".to_owned())].into(),
        stdin: true,
        tty: Some(TtySize { rows: 24, cols: 80 }),
        deadline_s: 600,
    }
}

fn facts() -> SandboxFacts {
    SandboxFacts {
        sandbox: sandbox_id(),
        workspace: behalf().workspace,
        agent: behalf().agent,
        epoch: 7,
        container: "f00d".into(),
        image: "roost-agent:dev".into(),
        state: ContainerState::Running,
        created_at_s: 1_780_000_000,
        limits: Limits::default(),
    }
}

fn end_with(outcome: Outcome) -> Ended {
    Ended {
        state: Terminal::Done,
        outcome,
        output_end: 70_000,
        output_dropped: 12,
        duration_ms: 345,
    }
}

fn ended(outcome: Outcome) -> ToGateway {
    report(Report::Ended(end_with(outcome)))
}

fn report(report: Report) -> ToGateway {
    ToGateway::Report(OperationReport {
        operation: operation_id(),
        report,
    })
}

fn piece() -> Piece {
    Piece::Data {
        stream: StreamName::Stderr,
        offset: 65_536,
        data: vec![0, 0xff, b'a', 0xc1],
    }
}

pub fn to_node() -> Vec<Named<ToNode>> {
    let operation = operation_id();
    let control = ToNode::Control;
    vec![
        (
            "welcome",
            ToNode::Welcome(Welcome {
                version: VERSION,
                node_id: id(5).into(),
                epoch: ConnectionEpoch(1_780_000_000_001),
                heartbeat_s: 10,
                lease_s: 86_400,
                draining: true,
            }),
        ),
        (
            "refused",
            ToNode::Refused(Refused {
                reason: RefusedReason::Cloned,
                detail: "another machine answers".into(),
            }),
        ),
        (
            "op-verify",
            request(None, Operation::Verify(Verify { probe: true })),
        ),
        (
            "op-provision",
            request(
                Some(behalf()),
                Operation::SbProvision(Provision {
                    spec: spec(),
                    restore: Some("0f".repeat(32)),
                }),
            ),
        ),
        (
            "op-exec",
            request(Some(behalf()), Operation::SbExec(exec())),
        ),
        (
            "op-destroy",
            request(
                Some(behalf()),
                Operation::SbDestroy(Destroy {
                    sandbox: sandbox_id(),
                    archive: true,
                }),
            ),
        ),
        (
            "op-health",
            request(
                Some(behalf()),
                Operation::SbHealth(Health {
                    sandbox: sandbox_id(),
                }),
            ),
        ),
        ("op-list", request(None, Operation::SbList(List {}))),
        ("op-unsupported", request(None, Operation::Unsupported)),
        ("cancel", control(Control::Cancel { operation })),
        (
            "stdin",
            control(Control::Stdin {
                operation,
                offset: 9,
                data: b"input\n\xff".to_vec(),
                eof: true,
            }),
        ),
        (
            "credit",
            control(Control::Credit {
                operation,
                up_to: 524_288,
            }),
        ),
        (
            "replay",
            control(Control::Replay {
                operation,
                from: 65_536,
            }),
        ),
        (
            "resize",
            control(Control::Resize {
                operation,
                size: TtySize {
                    rows: 50,
                    cols: 132,
                },
            }),
        ),
        ("ack", control(Control::Ack { operation })),
        (
            "lease",
            control(Control::Lease {
                sandboxes: vec![sandbox_id()],
                lease_s: 86_400,
            }),
        ),
        ("drain", control(Control::Drain { on: true, turn: 3 })),
        (
            "reconcile",
            control(Control::Reconcile {
                waiting: vec![operation],
                sandboxes: vec![sandbox_id()],
                grace_s: 300,
            }),
        ),
        (
            "ping",
            control(Control::Ping {
                nonce: 0xdead_beef_0000_0001,
            }),
        ),
        ("control-unknown", control(Control::Unknown)),
        ("unknown", ToNode::Unknown),
    ]
}

pub fn to_gateway() -> Vec<Named<ToGateway>> {
    let operation = operation_id();
    let reply = ToGateway::Reply;
    vec![
        ("hello", ToGateway::Hello(hello())),
        ("heartbeat", ToGateway::Heartbeat(heartbeat())),
        (
            "heartbeat-of-a-machine-that-knows-nothing",
            ToGateway::Heartbeat(Heartbeat::default()),
        ),
        (
            "node-tools",
            ToGateway::NodeTools(NodeTools {
                tools: vec![Tool {
                    tool: "docker".into(),
                    version: "29.4.0".into(),
                }],
            }),
        ),
        ("report-accepted", report(Report::Accepted)),
        (
            "report-progress",
            report(Report::Progress {
                detail: "creating the container".into(),
            }),
        ),
        ("report-never-seen", report(Report::NeverSeen)),
        ("report-unknown", report(Report::Unknown)),
        (
            "ended-verified",
            ended(Outcome::Verified { report: verify() }),
        ),
        (
            "ended-provisioned",
            ended(Outcome::Provisioned {
                sandbox: facts(),
                workspace: WorkspaceState::Restored {
                    digest: "0f".repeat(32),
                },
            }),
        ),
        (
            "ended-provisioned-empty",
            ended(Outcome::Provisioned {
                sandbox: facts(),
                workspace: WorkspaceState::Empty,
            }),
        ),
        (
            "ended-provisioned-archive-missing",
            ended(Outcome::Provisioned {
                sandbox: facts(),
                workspace: WorkspaceState::ArchiveMissing {
                    digest: "0f".repeat(32),
                },
            }),
        ),
        ("ended-exited", ended(Outcome::Exited { code: 137 })),
        (
            "ended-destroyed",
            ended(Outcome::Destroyed {
                archive: Some(ArchiveFacts {
                    digest: "0f".repeat(32),
                    bytes: 4096,
                }),
            }),
        ),
        (
            "ended-healthy",
            ended(Outcome::Healthy {
                health: SandboxHealth {
                    state: ContainerState::Running,
                    guest: true,
                    memory_bytes: Some(1 << 20),
                    pids: Some(3),
                    workspace_used_bytes: None,
                    running: 1,
                },
            }),
        ),
        (
            "ended-listed",
            ended(Outcome::Listed {
                sandboxes: vec![facts()],
            }),
        ),
        (
            "ended-error",
            report(Report::Ended(Ended::from(OperationError {
                kind: ErrorKind::EngineUnavailable,
                detail: "no container engine answers; start it".into(),
            }))),
        ),
        ("ended-unknown", ended(Outcome::Unknown)),
        (
            "output-data",
            ToGateway::Output(OutputChunk {
                operation,
                piece: piece(),
            }),
        ),
        (
            "output-gap",
            ToGateway::Output(OutputChunk {
                operation,
                piece: Piece::Gap {
                    from: 0,
                    to: 65_536,
                },
            }),
        ),
        ("inventory", ToGateway::Inventory(inventory())),
        ("pong", reply(ControlReply::Pong { nonce: 7 })),
        (
            "stdin-taken",
            reply(ControlReply::StdinTaken {
                operation,
                offset: 16,
            }),
        ),
        (
            "draining",
            reply(ControlReply::Draining {
                on: true,
                turn: 3,
                empty: false,
            }),
        ),
        (
            "sandbox-gone",
            reply(ControlReply::SandboxGone {
                sandbox: sandbox_id(),
                cause: GoneCause::OutOfMemory,
            }),
        ),
        ("paused", reply(ControlReply::Paused { on: true })),
        ("reply-unknown", reply(ControlReply::Unknown)),
        ("unknown", ToGateway::Unknown),
    ]
}

pub fn hello() -> Hello {
    Hello {
        versions: VersionRange {
            lowest: VERSION,
            highest: VERSION,
        },
        daemon_version: "0.1.0".into(),
        install_id: id(6).into(),
        instance_id: id(7).into(),
        boot_id: "8f0c3a4e-5a3e-4d3b-9a75-0d4f6a1b2c3d".into(),
        hostname: "büro".into(),
        os: "linux".into(),
        arch: "x86_64".into(),
        capabilities: Capabilities {
            engine: Some(Engine {
                name: "docker".into(),
                version: "29.4.0".into(),
                api: "1.53".into(),
            }),
            image: ImageState::Ready,
            shell: false,
            paused: false,
            most_sandboxes: Some(8),
        },
        inventory: inventory(),
    }
}

fn inventory() -> Inventory {
    Inventory {
        sandboxes: vec![facts()],
        operations: vec![
            LedgerEntry {
                operation: operation_id(),
                output_end: 70_000,
                ended: Some(end_with(Outcome::Exited { code: 0 })),
            },
            LedgerEntry {
                operation: id(8).into(),
                output_end: 0,
                ended: None,
            },
        ],
        engine_silent: false,
    }
}

pub fn heartbeat() -> Heartbeat {
    Heartbeat {
        at_s: 1_780_000_000,
        hostname: "büro".into(),
        local_ip: Some("192.0.2.7".into()),
        mesh_ip: Some("100.64.0.7".into()),
        cpu_pct: Some(12.5),
        cores: Some(8),
        memory_used_bytes: Some(3 << 30),
        memory_total_bytes: Some(16 << 30),
        swap_used_bytes: Some(0),
        swap_total_bytes: Some(1 << 30),
        disk_used_bytes: Some(100 << 30),
        disk_total_bytes: Some(500 << 30),
        load1: Some(0.5),
        load5: Some(0.25),
        load15: Some(0.125),
        psi: Some(Psi {
            cpu_some10: Some(1.5),
            memory_some10: Some(0.0),
            memory_full10: None,
            io_some10: Some(2.0),
            io_full10: Some(0.5),
        }),
        containers: Some(4),
        gpu_pct: Some(50.0),
        temp_max_c: Some(61.5),
        sandboxes: Some(2),
        image: Some(ImageState::WrongDigest),
        paused: true,
        draining: true,
    }
}

fn verify() -> VerifyReport {
    VerifyReport {
        ok: false,
        checks: vec![Check {
            name: "engine.api".into(),
            title: "Engine".into(),
            level: Level::Warn,
            detail: "1.41; update it".into(),
        }],
        probe: vec![ProbedFact {
            fact: "caps.effective".into(),
            title: "Capabilities".into(),
            expected: "0".into(),
            actual: "0".into(),
            ok: true,
        }],
        duration_ms: 900,
    }
}

pub fn to_guest() -> Vec<Named<ToGuest>> {
    let operation = operation_id();
    vec![
        ("hello", ToGuest::Hello { nonce: 5 }),
        (
            "start",
            ToGuest::Start {
                operation,
                argv: vec!["true".into()],
                cwd: "/workspace".into(),
                env: [("A".to_owned(), "1".to_owned())].into(),
                stdin: true,
                tty: Some(TtySize { rows: 24, cols: 80 }),
                deadline_ms: 600_000,
                stream_cap: 1 << 24,
            },
        ),
        (
            "stdin",
            ToGuest::Stdin {
                operation,
                offset: 0,
                data: b"x".to_vec(),
                eof: false,
            },
        ),
        (
            "credit",
            ToGuest::Credit {
                operation,
                up_to: 1 << 18,
                acked: 1 << 17,
            },
        ),
        ("replay", ToGuest::Replay { operation, from: 3 }),
        (
            "resize",
            ToGuest::Resize {
                operation,
                size: TtySize {
                    rows: 50,
                    cols: 132,
                },
            },
        ),
        ("cancel", ToGuest::Cancel { operation }),
        ("forget", ToGuest::Forget { operation }),
        ("unknown", ToGuest::Unknown),
    ]
}

pub fn from_guest() -> Vec<Named<FromGuest>> {
    let operation = operation_id();
    vec![
        (
            "hello",
            FromGuest::Hello {
                nonce: 5,
                instance: id(9).into(),
                processes: vec![Process {
                    operation,
                    running: true,
                    output_end: 4,
                }],
            },
        ),
        ("started", FromGuest::Started { operation }),
        (
            "not-started",
            FromGuest::NotStarted {
                operation,
                errno: 2,
                detail: "no such file".into(),
            },
        ),
        (
            "output",
            FromGuest::Output {
                operation,
                piece: piece(),
            },
        ),
        (
            "stdin-taken",
            FromGuest::StdinTaken {
                operation,
                offset: 1,
            },
        ),
        (
            "exited",
            FromGuest::Exited {
                operation,
                code: 143,
                cause: ExitCause::Deadline,
                output_end: 4,
                output_dropped: 0,
                duration_ms: 12,
            },
        ),
        ("no-such", FromGuest::NoSuch { operation }),
        ("unknown", FromGuest::Unknown),
    ]
}

/// A message in the envelope that the golden files hold.
pub fn enveloped<M>(message: M) -> Envelope<M> {
    Envelope {
        epoch: ConnectionEpoch(1_780_000_000_001),
        seq: 42,
        message,
    }
}
