//! Invalid requests, each with a pointer to the fault.
use proptest::prelude::*;
use roost_protocol::limits::{MAX_ARG_BYTES, MAX_ARGV, MAX_DEADLINE_S, MAX_ENV};
use roost_protocol::operation::{
    Exec, List, OnBehalf, Operation, OperationRequest, Provision, TtySize, Verify,
};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use uuid::Uuid;

fn request(operation: Operation) -> OperationRequest {
    OperationRequest {
        purpose: None,
        id: Uuid::nil().into(),
        on_behalf: Some(OnBehalf {
            workspace: Uuid::nil().into(),
            agent: Uuid::nil().into(),
        }),
        operation,
    }
}

fn exec(change: impl FnOnce(&mut Exec)) -> OperationRequest {
    let mut exec = Exec {
        sandbox: Uuid::nil().into(),
        argv: vec!["sh".into()],
        cwd: Some("/workspace".into()),
        env: Default::default(),
        stdin: false,
        tty: None,
        deadline_s: 600,
    };
    change(&mut exec);
    request(Operation::SbExec(exec))
}

fn provision(change: impl FnOnce(&mut Provision)) -> OperationRequest {
    let mut provision = Provision {
        spec: SandboxSpec {
            sandbox: Uuid::nil().into(),
            workspace: Uuid::nil().into(),
            agent: Uuid::nil().into(),
            node: None,
            epoch: 1,
            image: "roost-agent:dev".into(),
            image_digest: None,
            limits: Limits::default(),
            env: Default::default(),
            lease_s: 86_400,
        },
        restore: None,
    };
    change(&mut provision);
    request(Operation::SbProvision(provision))
}

fn pointers(request: &OperationRequest) -> Vec<String> {
    match request.validate() {
        Ok(()) => Vec::new(),
        Err(invalid) => {
            assert!(!invalid.faults.is_empty() && invalid.faults.len() <= 16);
            invalid
                .faults
                .into_iter()
                .map(|fault| fault.pointer)
                .collect()
        }
    }
}

#[test]
fn ordinary_requests_are_valid() {
    assert!(pointers(&exec(|_| ())).is_empty());
    assert!(pointers(&provision(|_| ())).is_empty());
    let mut alone = request(Operation::SbList(List {}));
    alone.on_behalf = None;
    assert!(pointers(&alone).is_empty());
    alone.operation = Operation::Verify(Verify { probe: true });
    assert!(pointers(&alone).is_empty());
}

#[test]
fn each_fault_of_a_command_has_its_pointer() {
    let env = |name: &str| [(name.to_owned(), "x".to_owned())].into();
    let many = |count: usize| {
        (0..count)
            .map(|n| (format!("V{n}"), String::new()))
            .collect()
    };
    let cases = [
        (exec(|it| it.argv.clear()), "/argv"),
        (exec(|it| it.argv[0].clear()), "/argv"),
        (exec(|it| it.argv = vec!["a".into(); MAX_ARGV + 1]), "/argv"),
        (exec(|it| it.argv.push("a\0".into())), "/argv/1"),
        (
            exec(|it| it.argv.push("a".repeat(MAX_ARG_BYTES + 1))),
            "/argv/1",
        ),
        (
            exec(|it| it.argv = vec!["a".repeat(MAX_ARG_BYTES); 3]),
            "/argv",
        ),
        (exec(|it| it.cwd = Some("/a/../b".into())), "/cwd"),
        (exec(|it| it.cwd = Some("relative".into())), "/cwd"),
        (exec(|it| it.env = env("LD_PRELOAD")), "/env/LD_PRELOAD"),
        (exec(|it| it.env = env("a/b~c")), "/env/a~1b~0c"),
        (exec(|it| it.env = many(MAX_ENV + 1)), "/env"),
        (
            exec(|it| it.tty = Some(TtySize { rows: 0, cols: 80 })),
            "/tty/rows",
        ),
        (
            exec(|it| {
                it.tty = Some(TtySize {
                    rows: 24,
                    cols: u16::MAX,
                });
            }),
            "/tty/cols",
        ),
        (exec(|it| it.deadline_s = 0), "/deadline_s"),
        (exec(|it| it.deadline_s = MAX_DEADLINE_S + 1), "/deadline_s"),
    ];
    for (request, pointer) in cases {
        assert_eq!(pointers(&request), [pointer]);
    }
}

#[test]
fn each_fault_of_a_provision_has_its_pointer() {
    let cases = [
        (
            provision(|it| it.spec.image = "--privileged".into()),
            "/image",
        ),
        (
            provision(|it| it.spec.image_digest = Some("sha256:12".into())),
            "/image_digest",
        ),
        (
            provision(|it| it.restore = Some("../../etc".into())),
            "/restore",
        ),
        (
            provision(|it| it.spec.limits.memory_bytes = u64::MAX),
            "/limits/memory_bytes",
        ),
        (
            provision(|it| it.spec.limits.workspace_bytes = 2 << 30),
            "/limits/workspace_bytes",
        ),
        (
            provision(|it| it.spec.limits.nano_cpus = 0),
            "/limits/nano_cpus",
        ),
        (provision(|it| it.spec.limits.pids = 0), "/limits/pids"),
        (provision(|it| it.spec.lease_s = 0), "/lease_s"),
        (
            provision(|it| it.spec.agent = Uuid::from_u128(9).into()),
            "/agent",
        ),
        (
            provision(|it| it.spec.workspace = Uuid::from_u128(9).into()),
            "/workspace",
        ),
        (
            provision(|it| it.spec.env = [("A".to_owned(), "x".repeat(40_000))].into()),
            "/env",
        ),
    ];
    for (request, pointer) in cases {
        assert_eq!(pointers(&request), [pointer]);
    }
}

#[test]
fn sandbox_work_needs_a_workspace_and_an_agent() {
    let mut nobody = exec(|_| ());
    nobody.on_behalf = None;
    assert_eq!(pointers(&nobody), ["/on_behalf"]);
}

#[test]
fn all_faults_are_reported_together_as_sentences() {
    let bad = exec(|it| {
        it.argv = vec!["a\0".into()];
        it.cwd = Some("x".into());
        it.deadline_s = 0;
    });
    let text = bad.validate().expect_err("it is bad").to_string();
    for pointer in ["/argv/0: ", "/cwd: ", "/deadline_s: "] {
        assert!(text.contains(pointer), "{text}");
    }
}

proptest! {
    #[test]
    fn valid_command_fits_a_guest_frame(
        argv in proptest::collection::vec(1usize..9000, 1..40),
        env in proptest::collection::vec(0usize..4000, 0..40),
    ) {
        let request = exec(|it| {
            it.argv = argv.into_iter().map(|len| "a".repeat(len)).collect();
            it.env = env.into_iter().enumerate().map(|(n, len)| (format!("V{n}"), "b".repeat(len))).collect();
        });
        if request.validate().is_ok() {
            let Operation::SbExec(exec) = request.operation else { unreachable!() };
            let mut env = exec.env;
            // The sandbox's own environment is added to it.
            env.insert("SANDBOX".into(), "x".repeat(32 * 1024 - 7));
            let start = roost_protocol::guest::ToGuest::Start {
                operation: Uuid::nil().into(),
                argv: exec.argv,
                cwd: "/workspace".into(),
                env,
                stdin: true,
                tty: None,
                deadline_ms: u64::MAX,
                stream_cap: u64::MAX,
            };
            prop_assert!(roost_protocol::guest::encode(&start).is_ok());
        }
    }
}
