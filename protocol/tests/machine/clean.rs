//! Messages of a hostile node after cleaning.
use proptest::prelude::*;
use roost_protocol::frame::{self, Envelope, ToGateway};
use roost_protocol::ids::ConnectionEpoch;
use roost_protocol::inventory::Inventory;
use roost_protocol::limits::{MAX_DETAIL_TEXT, MAX_REPORT_ENTRIES, MAX_SHORT_TEXT};
use roost_protocol::report::{
    Ended, ErrorKind, OperationError, OperationReport, Outcome, Report, Terminal,
};
use roost_protocol::vitals::{Heartbeat, NodeTools, Psi, Tool};
use uuid::Uuid;

fn through_the_edge(message: ToGateway) -> ToGateway {
    let bytes = frame::encode(&Envelope {
        epoch: ConnectionEpoch(1),
        seq: 1,
        message,
    });
    frame::decode_from_node(&bytes.expect("it encodes"))
        .expect("it decodes")
        .message
}

fn is_clean(text: &str, most: usize) -> bool {
    text.len() <= most
        && !text
            .chars()
            .any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c))
}

proptest! {
    #[test]
    fn texts_are_bounded_and_have_no_escapes(text in "\\PC*|[\\x00-\\x7f]{0,600}|(\\x1b\\[31m|\u{202e}|ä){0,300}") {
        let heartbeat = Heartbeat { hostname: text.clone(), local_ip: Some(text.clone()), mesh_ip: Some(text.clone()), ..Heartbeat::default() };
        let ToGateway::Heartbeat(got) = through_the_edge(ToGateway::Heartbeat(heartbeat)) else { unreachable!() };
        prop_assert!(is_clean(&got.hostname, MAX_SHORT_TEXT));
        prop_assert_eq!((got.local_ip, got.mesh_ip), (None, None));

        let tool = Tool { tool: text.clone(), version: text.clone() };
        let tools = NodeTools { tools: vec![tool; 4] };
        let ToGateway::NodeTools(got) = through_the_edge(ToGateway::NodeTools(tools)) else { unreachable!() };
        prop_assert!(got.tools.iter().all(|tool| is_clean(&tool.tool, MAX_SHORT_TEXT) && is_clean(&tool.version, MAX_SHORT_TEXT)));

        let progress = OperationReport { operation: Uuid::nil().into(), report: Report::Progress { detail: text } };
        let ToGateway::Report(got) = through_the_edge(ToGateway::Report(progress)) else { unreachable!() };
        let Report::Progress { detail } = got.report else { unreachable!() };
        prop_assert!(is_clean(&detail, MAX_DETAIL_TEXT));
    }

    #[test]
    fn invalid_numbers_become_absent(value in any::<f32>(), load in any::<f64>()) {
        let psi = Psi { cpu_some10: Some(value), ..Psi::default() };
        let heartbeat = Heartbeat {
            cpu_pct: Some(value), gpu_pct: Some(value), temp_max_c: Some(value), load1: Some(load), psi: Some(psi),
            ..Heartbeat::default()
        };
        let ToGateway::Heartbeat(got) = through_the_edge(ToGateway::Heartbeat(heartbeat)) else { unreachable!() };
        for percent in [got.cpu_pct, got.gpu_pct, got.psi.and_then(|psi| psi.cpu_some10)].into_iter().flatten() {
            prop_assert!((0.0..=100.0).contains(&percent));
        }
        prop_assert!(got.temp_max_c.is_none_or(|degrees| degrees.is_finite() && degrees <= 300.0));
        prop_assert!(got.load1.is_none_or(|load| load.is_finite() && load >= 0.0));
    }
}

#[test]
fn valid_values_are_unchanged() {
    let heartbeat = Heartbeat {
        hostname: "büro-2".into(),
        local_ip: Some("192.0.2.1".into()),
        mesh_ip: Some("fd7a:115c::1".into()),
        cpu_pct: Some(99.5),
        load1: Some(3.5),
        temp_max_c: Some(-12.0),
        ..Heartbeat::default()
    };
    assert_eq!(
        through_the_edge(ToGateway::Heartbeat(heartbeat.clone())),
        ToGateway::Heartbeat(heartbeat)
    );
}

#[test]
fn long_lists_are_truncated() {
    let tool = Tool {
        tool: "docker".into(),
        version: "1".into(),
    };
    let tools = NodeTools {
        tools: vec![tool; MAX_REPORT_ENTRIES + 5],
    };
    let ToGateway::NodeTools(got) = through_the_edge(ToGateway::NodeTools(tools)) else {
        unreachable!()
    };
    assert_eq!(got.tools.len(), MAX_REPORT_ENTRIES);
    let empty = ToGateway::Inventory(Inventory::default());
    assert_eq!(through_the_edge(empty.clone()), empty);
}

#[test]
fn done_with_an_error_becomes_failed() {
    let error = OperationError {
        pointer: Some("/limits/\u{1b}pids".into()),
        ..OperationError::new(ErrorKind::NoSandbox, "no\u{1b}[2Jsuch")
    };
    let mut ended = Ended::from(error);
    ended.state = Terminal::Done;
    ended.output_end = u64::MAX;
    ended.clean();
    assert_eq!(ended.state, Terminal::Failed);
    assert!(ended.output_end < u64::MAX);
    assert!(matches!(ended.outcome, Outcome::Error { error }
        if error.detail == "no[2Jsuch" && error.pointer.as_deref() == Some("/limits/pids")));
}
