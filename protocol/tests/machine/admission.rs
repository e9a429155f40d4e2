//! The first gate of a node.
use roost_protocol::ids::OperationId;
use roost_protocol::limits::{MAX_IN_FLIGHT, MAX_INVENTORY};
use roost_protocol::machine::admission::{Conditions, admit};
use roost_protocol::machine::ledger::Kind;
use roost_protocol::operation::{Exec, List, OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::report::ErrorKind;
use roost_protocol::sandbox::{Limits, SandboxSpec};
use uuid::Uuid;

fn request(operation: Operation) -> OperationRequest {
    OperationRequest {
        id: OperationId(Uuid::nil()),
        on_behalf: Some(OnBehalf {
            workspace: Uuid::nil().into(),
            agent: Uuid::nil().into(),
        }),
        operation,
    }
}

fn provision() -> OperationRequest {
    request(Operation::SbProvision(Provision {
        spec: SandboxSpec {
            sandbox: Uuid::nil().into(),
            workspace: Uuid::nil().into(),
            agent: Uuid::nil().into(),
            node: None,
            epoch: 1,
            image: "roost-agent".into(),
            image_digest: None,
            limits: Limits::default(),
            env: Default::default(),
            lease_s: 60,
        },
        restore: None,
    }))
}

fn exec() -> OperationRequest {
    request(Operation::SbExec(Exec {
        sandbox: Uuid::nil().into(),
        argv: vec!["true".into()],
        cwd: None,
        env: Default::default(),
        stdin: false,
        tty: None,
        deadline_s: 1,
    }))
}

fn kind_of(request: &OperationRequest, conditions: Conditions) -> Result<Kind, ErrorKind> {
    admit(request, &conditions).map_err(|error| error.kind)
}

#[test]
fn draining_and_paused_machines_take_no_new_sandbox_and_go_on_with_what_runs() {
    let draining = Conditions {
        draining: true,
        ..Conditions::default()
    };
    let paused = Conditions {
        paused: true,
        ..Conditions::default()
    };
    assert_eq!(
        kind_of(&provision(), Conditions::default()),
        Ok(Kind::Provision)
    );
    assert_eq!(kind_of(&provision(), draining), Err(ErrorKind::Draining));
    assert_eq!(kind_of(&provision(), paused), Err(ErrorKind::Paused));
    assert_eq!(kind_of(&exec(), draining), Ok(Kind::Exec));
    assert_eq!(kind_of(&exec(), paused), Ok(Kind::Exec));
}

#[test]
fn unknown_work_is_unsupported_even_when_nothing_else_would_pass() {
    let busy = Conditions {
        in_flight: MAX_IN_FLIGHT,
        ..Conditions::default()
    };
    let newer = request(Operation::Unsupported);
    assert_eq!(kind_of(&newer, busy), Err(ErrorKind::Unsupported));
}

#[test]
fn a_full_machine_says_busy_and_a_bad_request_says_where() {
    let list = request(Operation::SbList(List {}));
    for conditions in [
        Conditions {
            in_flight: MAX_IN_FLIGHT,
            ..Conditions::default()
        },
        Conditions {
            unacknowledged: MAX_INVENTORY,
            ..Conditions::default()
        },
    ] {
        assert_eq!(kind_of(&list, conditions), Err(ErrorKind::Busy));
    }
    let mut bad = exec();
    if let Operation::SbExec(exec) = &mut bad.operation {
        exec.argv.push("a\0b".into());
    }
    let error = admit(&bad, &Conditions::default()).expect_err("it holds a NUL");
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.detail.starts_with("/argv/1: "), "{}", error.detail);
}
