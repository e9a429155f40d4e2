//! Samples of a gateway's messages to a node.
use roost_protocol::control::{Control, Kept};
use roost_protocol::frame::ToNode;
use roost_protocol::hello::{Refused, RefusedReason, Welcome};
use roost_protocol::ids::ConnectionEpoch;
use roost_protocol::operation::{
    Destroy, Flush, Health, List, OnBehalf, Operation, OperationRequest, Provision, TtySize, Verify,
};

use super::{Named, VERSION, behalf, exec, id, operation_id, sandbox_id, spec};

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
                image: None,
                images: Vec::new(),
            }),
        ),
        (
            "welcome-with-image",
            ToNode::Welcome(Welcome {
                version: VERSION,
                node_id: id(5).into(),
                epoch: ConnectionEpoch(1_780_000_000_002),
                heartbeat_s: 10,
                lease_s: 86_400,
                draining: false,
                image: Some("registry.example:5000/roost-agent:7".into()),
                images: Vec::new(),
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
        (
            "op-flush",
            request(
                Some(behalf()),
                Operation::SbFlush(Flush {
                    sandbox: sandbox_id(),
                    deadline_s: 60,
                }),
            ),
        ),
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
                kept: None,
            }),
        ),
        (
            "reconcile-with-kept",
            control(Control::Reconcile {
                waiting: Vec::new(),
                sandboxes: vec![sandbox_id()],
                grace_s: 300,
                kept: Some(Kept {
                    agents: vec![id(4).into()],
                    archives: vec!["0f".repeat(32)],
                }),
            }),
        ),
        (
            "forget",
            control(Control::Forget {
                agent: id(4).into(),
                archives: vec!["0f".repeat(32)],
                results: false,
            }),
        ),
        (
            "forget-with-results",
            control(Control::Forget {
                agent: id(4).into(),
                archives: Vec::new(),
                results: true,
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

fn request(on_behalf: Option<OnBehalf>, operation: Operation) -> ToNode {
    ToNode::Operation(OperationRequest {
        purpose: None,
        id: operation_id(),
        on_behalf,
        operation,
    })
}
