//! One sample of each message variant, with fixed ids, by the name of its golden file.
mod gateway;
mod guest;
mod node;

pub use gateway::to_gateway;
pub use guest::{from_guest, to_guest};
pub use node::to_node;

use roost_protocol::frame::Envelope;
use roost_protocol::ids::{ConnectionEpoch, OperationId, SandboxId};
use roost_protocol::operation::{Exec, OnBehalf, TtySize};
use roost_protocol::output::{Piece, StreamName};
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts, SandboxSpec};
use roost_protocol::version::Version;
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

fn piece() -> Piece {
    Piece::Data {
        stream: StreamName::Stderr,
        offset: 65_536,
        data: vec![0, 0xff, b'a', 0xc1],
    }
}

/// Puts a message into the envelope of the golden files.
pub fn enveloped<M>(message: M) -> Envelope<M> {
    Envelope {
        epoch: ConnectionEpoch(1_780_000_000_001),
        seq: 42,
        message,
    }
}
