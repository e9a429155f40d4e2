//! The variants of every message enum by name. A new variant fails to compile here until it is listed, and then fails
//! the golden test until it has a sample and a file.
use std::collections::BTreeSet;

use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::guest::{ExitCause, FromGuest, ToGuest};
use roost_protocol::hello::{ImageState, RefusedReason};
use roost_protocol::operation::Operation;
use roost_protocol::output::{Piece, StreamName};
use roost_protocol::report::{ErrorKind, Outcome, Report, Terminal};
use roost_protocol::sandbox::{ContainerState, WorkspaceState};
use roost_protocol::verify::Level;

macro_rules! variants {
    ($($name:ident of $kind:ident { $($variant:ident),+ $(,)? })+) => {$(
        fn $name(value: &$kind, seen: &mut BTreeSet<&'static str>) {
            seen.insert(match value {
                $($kind::$variant { .. } => concat!(stringify!($kind), "::", stringify!($variant)),)+
            });
        }
    )+
        /// Every variant of every message enum.
        pub fn all() -> BTreeSet<&'static str> {
            BTreeSet::from([$($(concat!(stringify!($kind), "::", stringify!($variant)),)+)+])
        }
    };
}

variants! {
    see_to_node of ToNode { Welcome, Refused, Operation, Control, Unknown }
    see_to_gateway of ToGateway { Hello, Heartbeat, NodeTools, Report, Output, Inventory, Reply, Unknown }
    see_operation of Operation { Verify, SbProvision, SbExec, SbDestroy, SbHealth, SbList, SbFlush, Unsupported }
    see_control of Control { Cancel, Stdin, Credit, Replay, Resize, Ack, Lease, Drain, Reconcile, Forget, Ping, Unknown }
    see_reply of ControlReply { Pong, StdinTaken, Draining, SandboxGone, Stored, NotStored, Forgotten, Paused, Unknown }
    see_report of Report { Accepted, Progress, Ended, NeverSeen, Unknown }
    see_outcome of Outcome { Verified, Provisioned, Exited, Destroyed, Healthy, Listed, Flushed, Error, Unknown }
    see_workspace of WorkspaceState { Empty, Restored, ArchiveMissing }
    see_piece of Piece { Data, Gap }
    see_to_guest of ToGuest { Hello, Start, Stdin, Credit, Replay, Resize, Cancel, Forget, Unknown }
    see_from_guest of FromGuest { Hello, Started, NotStarted, Output, StdinTaken, Exited, NoSuch, Unknown }
}

/// Names the variants inside a message to a node.
pub fn of_to_node(message: &ToNode, seen: &mut BTreeSet<&'static str>) {
    see_to_node(message, seen);
    match message {
        ToNode::Operation(request) => see_operation(&request.operation, seen),
        ToNode::Control(control) => see_control(control, seen),
        ToNode::Welcome(_) | ToNode::Refused(_) | ToNode::Unknown => {}
    }
}

/// Names the variants inside a message to a gateway.
pub fn of_to_gateway(message: &ToGateway, seen: &mut BTreeSet<&'static str>) {
    see_to_gateway(message, seen);
    match message {
        ToGateway::Report(report) => {
            see_report(&report.report, seen);
            if let Report::Ended(ended) = &report.report {
                see_outcome(&ended.outcome, seen);
                if let Outcome::Provisioned { workspace, .. } = &ended.outcome {
                    see_workspace(workspace, seen);
                }
            }
        }
        ToGateway::Output(chunk) => see_piece(&chunk.piece, seen),
        ToGateway::Reply(reply) => see_reply(reply, seen),
        ToGateway::Hello(_)
        | ToGateway::Heartbeat(_)
        | ToGateway::NodeTools(_)
        | ToGateway::Inventory(_)
        | ToGateway::Unknown => {}
    }
}

/// Names the variants inside a message to a guest.
pub fn of_to_guest(message: &ToGuest, seen: &mut BTreeSet<&'static str>) {
    see_to_guest(message, seen);
}

/// Names the variants inside a message from a guest.
pub fn of_from_guest(message: &FromGuest, seen: &mut BTreeSet<&'static str>) {
    see_from_guest(message, seen);
}

macro_rules! words {
    ($($name:ident of $kind:ident { $($variant:ident),+ $(,)? })+) => {
        /// Unit enums, each with the encodings of all its variants in order.
        pub fn words() -> Vec<(&'static str, Vec<u8>)> {
            $(fn $name(value: &$kind) {
                match value { $($kind::$variant => {})+ }
            })+
            vec![$({
                let all = [$($kind::$variant),+];
                all.iter().for_each($name);
                let bytes = rmp_serde::to_vec_named(&all[..]).expect("words encode");
                let back: Vec<$kind> = rmp_serde::from_slice(&bytes).expect("words decode");
                assert_eq!(back, all);
                (stringify!($kind), bytes)
            }),+]
        }
    };
}

words! {
    terminal of Terminal { Done, Failed, Cancelled, Lost }
    error_kind of ErrorKind {
        Unsupported, Invalid, OwnerPolicy, Paused, Draining, EngineUnavailable, EngineRefused, ImageMissing,
        PolicyMismatch, NoSandbox, GuestSilent, NotStarted, Deadline, Cancelled, DiskFull, Interrupted, Busy, Internal,
    }
    refused_reason of RefusedReason { Version, Cloned, WrongInstall, Revoked, BadHello, Stopping, Other }
    gone_cause of GoneCause { LeaseOver, Exited, OutOfMemory, Owner, Orphan, Unknown }
    container_state of ContainerState { Running, Stopped, Unknown }
    image_state of ImageState { Ready, Missing, WrongDigest, Unknown }
    level of Level { Ok, Warn, Fail }
    stream_name of StreamName { Stdout, Stderr }
    exit_cause of ExitCause { Exited, Deadline, Cancelled, Unknown }
}
