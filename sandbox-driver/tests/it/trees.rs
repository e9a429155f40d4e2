//! Deadline and cancel kill the whole tree, whatever its processes do to escape.
use roost_protocol::guest::{ExitCause, FromGuest, ToGuest};
use roost_protocol::ids::SandboxId;
use roost_sandbox_driver::GuestLink;
use rstest::rstest;

use crate::support::{Bench, operation, shell, stdout_of};

/// Living processes whose command line holds a mark, zombies aside.
async fn alive(link: &GuestLink, mark: &str) -> String {
    // The mark is split so that the search does not find itself.
    let (a, b) = mark.split_at(3);
    stdout_of(
        link,
        &format!("a={a}; b={b}; ps -o pid,stat,args | grep -v grep | grep \"$a$b\" | grep -v ' Z' || true"),
    )
    .await
}

/// Waits until the kernel counts fewer tasks than that in the sandbox.
async fn fewer_than(bench: &Bench, sandbox: SandboxId, most: u32) {
    let patience = std::time::Instant::now();
    loop {
        let health = bench.driver.health(sandbox).await.expect("it is there");
        let pids = health.pids.expect("the engine counts");
        if pids < most {
            break;
        }
        assert!(patience.elapsed().as_secs() < 30, "{pids} tasks are left");
    }
}

#[rstest]
#[case::a_child("sleep 4711")]
#[case::a_pipeline("sleep 4711 | sleep 4711 | cat")]
#[case::in_the_background("sleep 4711 & sleep 4711 & wait")]
#[case::own_session("setsid sleep 4711 & wait; sleep 4711")]
#[case::daemon_forked_twice("(setsid sh -c 'sleep 4711 & exit' & ); sleep 4711")]
#[case::ignores_signals("trap '' TERM INT HUP; sh -c \"trap '' TERM INT HUP; sleep 4711\"")]
#[case::empty_environment("env -i setsid sh -c 'sleep 4711 & sleep 4711'; sleep 4711")]
#[case::kills_its_reaper("(setsid sleep 4711 &) ; kill -9 $PPID; sleep 4711")]
#[case::stops_its_reaper("(setsid sleep 4711 &) ; kill -STOP $PPID; sleep 4711")]
#[tokio::test]
async fn nothing_of_a_tree_outlives_its_deadline(#[case] script: &str) {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let mut command = shell(script);
    command.deadline_ms = 700;
    let ran = link.run(command).await.unwrap();
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(alive(&link, "sleep 4711").await, "");
    bench.clean().await;
}

/// `/proc` shows it as a zombie without arguments while its other threads run: only the task count reveals it.
#[rstest]
#[case::as_a_child("/usr/local/lib/roost/escape-probe --look-dead")]
#[case::in_the_background("/usr/local/lib/roost/escape-probe --look-dead & sleep 4711")]
#[case::under_a_killed_reaper(
    "(setsid /usr/local/lib/roost/escape-probe --look-dead &) ; kill -9 $PPID; sleep 4711"
)]
#[tokio::test]
async fn a_process_whose_first_thread_has_left_is_killed_too(#[case] script: &str) {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let mut command = shell(script);
    command.deadline_ms = 700;
    let ran = link.run(command).await.unwrap();
    assert_ne!(ran.code, 0, "{ran:?}");
    // Only the guest. The kernel updates its count a little late.
    fewer_than(&bench, sandbox, 2).await;
    bench.clean().await;
}

#[tokio::test]
async fn leftover_processes_are_killed_at_the_deadline() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let mut command = shell("setsid sleep 4711 >/dev/null 2>&1 & echo started");
    command.deadline_ms = 3000;
    let ran = link.run(command).await.unwrap();
    assert_eq!((ran.code, ran.cause), (0, ExitCause::Exited));
    assert_ne!(
        alive(&link, "sleep 4711").await,
        "",
        "it may go on after the command"
    );
    let patience = std::time::Instant::now();
    while !alive(&link, "sleep 4711").await.is_empty() {
        assert!(
            patience.elapsed().as_secs() < 30,
            "it outlived its deadline"
        );
    }
    bench.clean().await;
}

#[tokio::test]
async fn a_fork_bomb_is_stopped_by_the_limit_and_killed_at_the_deadline() {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let mut command = shell("bomb() { bomb | bomb & }; bomb; sleep 4711");
    command.deadline_ms = 2000;
    let ran = link.run(command).await.unwrap();
    assert_ne!(ran.code, 0);
    // The guest works, and there is room for processes again.
    let patience = std::time::Instant::now();
    loop {
        match link.run(shell("echo alive")).await {
            Ok(ran) if ran.output == b"alive\n" => break,
            other => assert!(patience.elapsed().as_secs() < 30, "{other:?}"),
        }
    }
    fewer_than(&bench, sandbox, 5).await;
    bench.clean().await;
}

#[tokio::test]
async fn cancel_kills_the_tree_and_reports_cancelled() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let operation = operation();
    let mut events = link.events(operation);
    link.send(ToGuest::Start {
        operation,
        argv: ["/bin/sh", "-c", "setsid sleep 4711 & sleep 4711"]
            .map(str::to_owned)
            .to_vec(),
        cwd: "/workspace".to_owned(),
        env: Default::default(),
        stdin: false,
        tty: None,
        deadline_ms: 600_000,
        stream_cap: 1000,
    })
    .await
    .unwrap();
    assert_eq!(events.recv().await, Some(FromGuest::Started { operation }));
    link.send(ToGuest::Cancel { operation }).await.unwrap();
    match events.recv().await.unwrap() {
        FromGuest::Exited { cause, .. } => assert_eq!(cause, ExitCause::Cancelled),
        other => panic!("{other:?}"),
    }
    assert_eq!(alive(&link, "sleep 4711").await, "");
    bench.clean().await;
}

#[tokio::test]
async fn command_that_kills_everything_leaves_the_guest_alive() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let _ = link
        .run(shell("kill -9 -1; kill -9 1; kill -STOP 1; kill -TERM 1"))
        .await;
    assert_eq!(stdout_of(&link, "echo alive").await, "alive");
    bench.clean().await;
}
