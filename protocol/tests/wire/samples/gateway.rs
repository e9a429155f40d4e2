//! Samples of a node's messages to its gateway.
use roost_protocol::caps::{Bounds, Total};
use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{Capabilities, Engine, Hello, ImageState};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::output::{OutputChunk, Piece};
use roost_protocol::report::{
    ArchiveFacts, Ended, ErrorKind, OperationError, OperationReport, Outcome, Report, Terminal,
};
use roost_protocol::sandbox::{
    ContainerState, Limits, SandboxFacts, SandboxHealth, WorkspaceState,
};
use roost_protocol::snapshot::Stored;
use roost_protocol::verify::{Check, Level, ProbedFact, VerifyReport};
use roost_protocol::version::VersionRange;
use roost_protocol::vitals::{Heartbeat, NodeTools, Psi, Tool};

use super::{Named, VERSION, behalf, facts, id, operation_id, piece, sandbox_id};

pub fn to_gateway() -> Vec<Named<ToGateway>> {
    let operation = operation_id();
    let reply = ToGateway::Reply;
    vec![
        ("hello", ToGateway::Hello(hello())),
        ("hello-with-bounds", ToGateway::Hello(hello_with_bounds())),
        ("hello-with-flush", ToGateway::Hello(hello_with_flush())),
        ("hello-with-endless", ToGateway::Hello(hello_with_endless())),
        ("heartbeat", ToGateway::Heartbeat(heartbeat())),
        (
            "heartbeat-with-bounds",
            ToGateway::Heartbeat(Heartbeat {
                image: Some(ImageState::WrongDigest),
                image_unfit: Some("it starts /bin/sh".into()),
                image_reference: Some("roost-agent:7".into()),
                image_id: Some(format!("sha256:{}", "a1".repeat(32))),
                bounds: Some(bounds()),
                ..heartbeat()
            }),
        ),
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
            "ended-flushed",
            ended(Outcome::Flushed { snapshot: stored() }),
        ),
        (
            "ended-error",
            report(Report::Ended(Ended::from(OperationError::new(
                ErrorKind::EngineUnavailable,
                "no container engine answers; start it",
            )))),
        ),
        (
            "ended-error-with-pointer",
            report(Report::Ended(Ended::from(OperationError {
                pointer: Some("/limits/pids".into()),
                ..OperationError::new(ErrorKind::OwnerPolicy, "at most 64")
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
        (
            "inventory-with-snapshots",
            ToGateway::Inventory(Inventory {
                stored: vec![stored()],
                ..inventory()
            }),
        ),
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
        ("stored", reply(ControlReply::Stored { snapshot: stored() })),
        (
            "not-stored",
            reply(ControlReply::NotStored {
                sandbox: sandbox_id(),
                detail: "the disk is full; free some space".into(),
            }),
        ),
        (
            "forgotten",
            reply(ControlReply::Forgotten {
                agent: behalf().agent,
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
            ..Capabilities::default()
        },
        inventory: inventory(),
    }
}

fn hello_with_bounds() -> Hello {
    let hello = hello();
    Hello {
        capabilities: Capabilities {
            bounds: Some(Bounds {
                not_enforced: None,
                ..bounds()
            }),
            image_reference: Some("roost-agent:7".into()),
            image_id: Some(format!("sha256:{}", "a1".repeat(32))),
            ..hello.capabilities
        },
        ..hello
    }
}

fn hello_with_flush() -> Hello {
    let hello = hello();
    Hello {
        capabilities: Capabilities {
            flush: true,
            ..hello.capabilities
        },
        ..hello
    }
}

fn hello_with_endless() -> Hello {
    let hello = hello();
    Hello {
        capabilities: Capabilities {
            endless: true,
            ..hello.capabilities
        },
        ..hello
    }
}

fn bounds() -> Bounds {
    Bounds {
        each: Limits::default(),
        all: Total {
            sandboxes: 8,
            memory_bytes: 12 << 30,
            nano_cpus: 64_000_000_000,
            pids: 16_384,
        },
        not_enforced: Some("control groups cannot be written".into()),
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
        ..Heartbeat::default()
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
        stored: Vec::new(),
    }
}

fn stored() -> Stored {
    let SandboxFacts {
        sandbox,
        workspace,
        agent,
        ..
    } = facts();
    Stored {
        sandbox,
        workspace,
        agent,
        digest: "0f".repeat(32),
        files: 3,
        bytes: 4096,
        taken_at_s: 1_700_000_000,
        left_out: vec!["node_modules: can be made again".into()],
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

fn report(report: Report) -> ToGateway {
    ToGateway::Report(OperationReport {
        operation: operation_id(),
        report,
    })
}

fn ended(outcome: Outcome) -> ToGateway {
    report(Report::Ended(end_with(outcome)))
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
