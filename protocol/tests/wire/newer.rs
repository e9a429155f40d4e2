//! A peer one minor newer: unknown messages, operations, stages, causes and fields (promise P10).
use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::frame::{self, ToGateway, ToNode};
use roost_protocol::guest::{FromGuest, ToGuest};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{ErrorKind, Outcome, Report};
use serde::de::DeserializeOwned;

use crate::samples::{self, enveloped, operation_id};
use crate::value::Value;

fn tree<M: serde::Serialize>(message: M) -> Value {
    Value::read(&frame::encode(&enveloped(message)).expect("a sample encodes"))
}

fn read<M: DeserializeOwned>(tree: &Value) -> M {
    frame::decode::<M>(&tree.write())
        .unwrap_or_else(|error| panic!("{error:?} in {tree:?}"))
        .message
}

fn sample<M>(all: Vec<(&'static str, M)>, wanted: &str) -> M {
    all.into_iter()
        .find(|(name, _)| *name == wanted)
        .expect("there is one")
        .1
}

#[test]
fn unknown_messages_are_read_as_unknown() {
    for (name, message) in samples::to_node() {
        let mut tree = tree(message);
        *tree.field("message").field("type") = Value::text("of_a_newer_minor");
        assert_eq!(read::<ToNode>(&tree), ToNode::Unknown, "{name}");
    }
    for (name, message) in samples::to_gateway() {
        let mut tree = tree(message);
        *tree.field("message").field("type") = Value::text("of_a_newer_minor");
        assert_eq!(read::<ToGateway>(&tree), ToGateway::Unknown, "{name}");
    }
}

#[test]
fn an_unknown_operation_is_unsupported_and_keeps_its_id() {
    let names = [
        "op-verify",
        "op-provision",
        "op-exec",
        "op-destroy",
        "op-health",
        "op-list",
    ];
    for name in names {
        let mut tree = tree(sample(samples::to_node(), name));
        *tree.field("message").field("operation").field("op") = Value::text("sb_teleport");
        let ToNode::Operation(OperationRequest { id, operation, .. }) = read(&tree) else {
            panic!("{name} is no operation any more");
        };
        assert_eq!(
            (id, operation),
            (operation_id(), Operation::Unsupported),
            "{name}"
        );
    }
}

#[test]
fn operation_with_an_unknown_field_is_unsupported() {
    for path in [
        &["operation"][..],
        &["operation", "spec"],
        &["operation", "spec", "limits"],
    ] {
        let mut tree = tree(sample(samples::to_node(), "op-provision"));
        let mut place = tree.field("message");
        for name in path {
            place = place.field(name);
        }
        let Value::Map(entries) = place else {
            panic!("not a map")
        };
        entries.push((Value::text("privileged"), Value::Bool(true)));
        let ToNode::Operation(request) = read(&tree) else {
            panic!("no operation any more");
        };
        assert_eq!(request.operation, Operation::Unsupported, "{path:?}");
    }
}

#[test]
fn unknown_controls_replies_stages_and_outcomes_are_read_as_unknown() {
    let mut tree_of_control = tree(sample(samples::to_node(), "stdin"));
    *tree_of_control.field("message").field("control") = Value::text("newer");
    assert_eq!(
        read::<ToNode>(&tree_of_control),
        ToNode::Control(Control::Unknown)
    );

    let mut tree_of_reply = tree(sample(samples::to_gateway(), "sandbox-gone"));
    *tree_of_reply.field("message").field("reply") = Value::text("newer");
    assert_eq!(
        read::<ToGateway>(&tree_of_reply),
        ToGateway::Reply(ControlReply::Unknown)
    );

    let mut tree_of_stage = tree(sample(samples::to_gateway(), "report-progress"));
    *tree_of_stage
        .field("message")
        .field("report")
        .field("stage") = Value::text("newer");
    let ToGateway::Report(report) = read(&tree_of_stage) else {
        panic!("no report any more");
    };
    assert_eq!(report.report, Report::Unknown);

    let mut tree_of_outcome = tree(sample(samples::to_gateway(), "ended-provisioned"));
    *tree_of_outcome
        .field("message")
        .field("report")
        .field("outcome")
        .field("of") = Value::text("newer");
    let ToGateway::Report(mut report) = read(&tree_of_outcome) else {
        panic!("no report any more");
    };
    let Report::Ended(ended) = &report.report else {
        panic!("no end any more")
    };
    assert_eq!(ended.outcome, Outcome::Unknown);
    // After cleaning, the caller sees an end with an explanation instead of a done end without a result.
    report.clean();
    let Report::Ended(ended) = &report.report else {
        panic!("no end any more")
    };
    assert!(
        matches!(&ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::Internal)
    );
    assert_eq!(ended.state, roost_protocol::report::Terminal::Failed);
}

#[test]
fn unknown_enum_values_are_read_as_the_catch_all() {
    let mut gone = tree(sample(samples::to_gateway(), "sandbox-gone"));
    *gone.field("message").field("cause") = Value::text("newer-cause");
    assert_eq!(
        read::<ToGateway>(&gone),
        match sample(samples::to_gateway(), "sandbox-gone") {
            ToGateway::Reply(ControlReply::SandboxGone { sandbox, .. }) =>
                ToGateway::Reply(ControlReply::SandboxGone {
                    sandbox,
                    cause: GoneCause::Unknown
                }),
            other => other,
        }
    );
    let mut error = tree(sample(samples::to_gateway(), "ended-error"));
    *error
        .field("message")
        .field("report")
        .field("outcome")
        .field("error")
        .field("kind") = Value::text("newer-kind");
    let ToGateway::Report(report) = read(&error) else {
        panic!("no report any more");
    };
    let Report::Ended(ended) = report.report else {
        panic!("no end any more")
    };
    assert!(matches!(ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::Internal));
}

#[test]
fn unknown_fields_of_a_newer_node_are_ignored() {
    for (name, message) in samples::to_gateway() {
        let mut tree = tree(message.clone());
        tree.grow();
        assert_eq!(read::<ToGateway>(&tree), message, "{name}");
    }
}

#[test]
fn unknown_fields_of_a_newer_gateway_are_ignored_outside_operations() {
    for (name, message) in samples::to_node() {
        if matches!(message, ToNode::Operation(_)) {
            continue;
        }
        let mut tree = tree(message.clone());
        tree.grow();
        assert_eq!(read::<ToNode>(&tree), message, "{name}");
    }
}

#[test]
fn optional_fields_that_an_older_peer_does_not_send_are_absent() {
    let mut drain = tree(sample(samples::to_node(), "drain"));
    let Value::Map(entries) = drain.field("message") else {
        panic!("not a map")
    };
    entries.retain(|(key, _)| *key != Value::text("turn"));
    assert_eq!(
        read::<ToNode>(&drain),
        ToNode::Control(Control::Drain { on: true, turn: 0 })
    );
}

#[test]
fn messages_of_a_newer_guest_or_driver_are_decoded() {
    for (name, message) in samples::to_guest() {
        let mut tree = Value::read(&rmp_serde::to_vec_named(&message).expect("encodes"));
        // `start` holds a map with the user's own names: an extra name there is not an unknown field.
        if !matches!(message, ToGuest::Start { .. }) {
            tree.grow();
            let back: ToGuest = rmp_serde::from_slice(&tree.write()).expect(name);
            assert_eq!(back, message, "{name}");
        }
        *tree.field("type") = Value::text("newer");
        let back: ToGuest = rmp_serde::from_slice(&tree.write()).expect(name);
        assert_eq!(back, ToGuest::Unknown, "{name}");
    }
    for (name, message) in samples::from_guest() {
        let mut tree = Value::read(&rmp_serde::to_vec_named(&message).expect("encodes"));
        tree.grow();
        let back: FromGuest = rmp_serde::from_slice(&tree.write()).expect(name);
        assert_eq!(back, message, "{name}");
        *tree.field("type") = Value::text("newer");
        let back: FromGuest = rmp_serde::from_slice(&tree.write()).expect(name);
        assert_eq!(back, FromGuest::Unknown, "{name}");
    }
}
