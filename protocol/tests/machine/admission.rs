//! Admission: a node's first check of an operation.
use roost_protocol::ids::{OperationId, SandboxId, WorkspaceId};
use roost_protocol::limits::{
    MAX_COMMANDS_IN_SANDBOX, MAX_COMMANDS_OF_WORKSPACE, MAX_IN_FLIGHT, MAX_INVENTORY,
    RESERVED_IN_FLIGHT,
};
use roost_protocol::machine::admission::{Commands, Conditions, admit};
use roost_protocol::machine::ledger::Kind;
use roost_protocol::operation::{Exec, List, OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::report::ErrorKind;
use roost_protocol::sandbox::{Limits, SandboxSpec};
use uuid::Uuid;

fn request(operation: Operation) -> OperationRequest {
    OperationRequest {
        purpose: None,
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
fn draining_and_paused_machines_refuse_new_sandboxes_and_serve_existing_ones() {
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
fn unknown_operation_is_unsupported_before_any_other_check() {
    let busy = Conditions {
        in_flight: MAX_IN_FLIGHT,
        ..Conditions::default()
    };
    let newer = request(Operation::Unsupported);
    assert_eq!(kind_of(&newer, busy), Err(ErrorKind::Unsupported));
}

#[test]
fn commands_are_bounded_per_sandbox_workspace_and_machine() {
    let with = |commands| Conditions {
        commands,
        ..Conditions::default()
    };
    let full = |here, of_workspace, in_sandbox| Commands {
        here,
        of_workspace,
        in_sandbox,
    };
    let most = MAX_IN_FLIGHT - RESERVED_IN_FLIGHT;
    for (commands, words) in [
        (full(0, 0, MAX_COMMANDS_IN_SANDBOX), "in this sandbox"),
        (full(0, MAX_COMMANDS_OF_WORKSPACE, 0), "for this workspace"),
        (full(most, 0, 0), "on this machine"),
    ] {
        let error = admit(&exec(), &with(commands)).expect_err("it is full");
        assert_eq!(error.kind, ErrorKind::Busy);
        assert!(error.detail.contains(words), "{}", error.detail);
        assert_eq!(kind_of(&provision(), with(commands)), Ok(Kind::Provision));
    }
    let room = full(
        most - 1,
        MAX_COMMANDS_OF_WORKSPACE - 1,
        MAX_COMMANDS_IN_SANDBOX - 1,
    );
    assert_eq!(kind_of(&exec(), with(room)), Ok(Kind::Exec));
}

#[test]
fn commands_are_counted_by_sandbox_and_by_workspace() {
    let (mine, mut other) = (exec(), exec());
    other.on_behalf = other.on_behalf.map(|on| OnBehalf {
        workspace: WorkspaceId(Uuid::now_v7()),
        ..on
    });
    if let Operation::SbExec(exec) = &mut other.operation {
        exec.sandbox = SandboxId(Uuid::now_v7());
    }
    let under_way = [mine.clone(), mine.clone(), other, provision()];
    let counted = Commands::count(&under_way, &mine);
    let expected = Commands {
        here: 3,
        of_workspace: 2,
        in_sandbox: 2,
    };
    assert_eq!(counted, expected);
}

#[test]
fn full_machine_is_busy_and_bad_request_has_a_pointer() {
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
