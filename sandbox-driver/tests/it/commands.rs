//! Commands through the guest: output, stdin, terminals, caps, ends.
use std::time::{Duration, Instant};

use roost_protocol::guest::{ExitCause, FromGuest, ToGuest};
use roost_protocol::operation::TtySize;
use roost_protocol::output::{Piece, StreamName};
use roost_sandbox_driver::exec::Command;
use roost_sandbox_driver::{DriverError, Events, GuestLink};
use sha2::{Digest, Sha256};

use crate::support::{Bench, operation, shell, stdout_of, text};

/// Starts a script; the guest gets its usual first credit.
async fn start(
    link: &GuestLink,
    script: &str,
    stdin: bool,
    tty: Option<TtySize>,
) -> (Events, roost_protocol::ids::OperationId) {
    let operation = operation();
    let events = link.events(operation);
    link.send(ToGuest::Start {
        operation,
        argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        cwd: "/workspace".to_owned(),
        env: Default::default(),
        stdin,
        tty,
        deadline_ms: 60_000,
        stream_cap: 16 << 20,
    })
    .await
    .expect("the line lives");
    (events, operation)
}

/// Reads output until it holds a text.
async fn until(events: &mut Events, wanted: &str) -> String {
    let mut got = String::new();
    while !got.contains(wanted) {
        match events.recv().await {
            Some(FromGuest::Output {
                piece: Piece::Data { data, .. },
                ..
            }) => {
                got.push_str(&String::from_utf8_lossy(&data));
            }
            Some(FromGuest::Exited { code, .. }) => panic!("it ended with {code} after {got:?}"),
            Some(_) => {}
            None => panic!("the line closed after {got:?}"),
        }
    }
    got
}

#[tokio::test]
async fn both_streams_exit_code_and_binary_bytes_arrive() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let ran = link
        .run(shell(r"printf '\377\000\200'; echo oops >&2; exit 7"))
        .await
        .unwrap();
    assert_eq!(ran.output, [0xff, 0, 0x80]);
    assert_eq!(ran.errors, b"oops\n");
    assert_eq!((ran.code, ran.cause), (7, ExitCause::Exited));
    assert_eq!(ran.output_end, 8);
    let killed = link.run(shell("kill -9 $$")).await.unwrap();
    assert_eq!(killed.code, 128 + 9);
    bench.clean().await;
}

#[tokio::test]
async fn failed_start_reports_its_cause() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    for (program, cwd, errno) in [
        ("/no/such/program", "/workspace", 2),
        ("no-such-program", "/workspace", 2),
        ("/etc/passwd", "/workspace", 13),
        ("true", "/no/such/folder", 2),
        ("true", "relative", 22),
    ] {
        let mut command = Command::of(program, &[]);
        command.cwd = cwd.to_owned();
        match link.run(command).await {
            Err(DriverError::NotStarted { detail, .. }) => {
                assert!(
                    detail.contains(&format!("errno {errno}")),
                    "{program} {cwd}: {detail}"
                );
            }
            other => panic!("{program} {cwd}: {other:?}"),
        }
    }
    bench.clean().await;
}

#[tokio::test]
async fn ten_gigabytes_of_output_are_counted_and_capped_and_end() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    const CAP: u64 = 16 << 20;
    let mut command = shell("dd if=/dev/zero bs=1048576 count=10240 2>/dev/null");
    command.stream_cap = CAP;
    command.deadline_ms = 300_000;
    let ran = link.run(command).await.unwrap();
    assert_eq!(ran.code, 0);
    assert_eq!(ran.output_end, CAP);
    assert_eq!(ran.output_end + ran.output_dropped, 10 << 30);
    bench.clean().await;
}

#[tokio::test]
async fn reader_without_credit_blocks_only_its_own_command() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let (mut slow, id) = start(&link, "yes | head -c 8388608; echo done >&2", false, None).await;
    // The other command runs normally while the first waits for credit.
    for _ in 0..20 {
        assert_eq!(stdout_of(&link, "echo quick").await, "quick");
    }
    let mut end = 0;
    let mut granted = 0;
    loop {
        match tokio::time::timeout(Duration::from_secs(20), slow.recv())
            .await
            .expect("it goes on")
        {
            Some(FromGuest::Output { piece, .. }) => {
                assert_eq!(piece.start(), end, "no byte is lost or repeated");
                end = piece.end();
                assert!(end <= granted.max(roost_protocol::limits::INITIAL_CREDIT_BYTES));
                if end + 65_536 > granted {
                    granted = end + 262_144;
                    link.send(ToGuest::Credit {
                        operation: id,
                        up_to: granted,
                        acked: end,
                    })
                    .await
                    .unwrap();
                }
            }
            Some(FromGuest::Exited { output_end, .. }) => {
                assert_eq!(output_end, end);
                break;
            }
            Some(_) => {}
            None => panic!("the line closed at {end}"),
        }
    }
    assert_eq!(end, 8_388_608 + 5);
    bench.clean().await;
}

#[tokio::test]
async fn stdin_goes_in_by_offset_and_ends() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let input: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let ran = link
        .run_fed(Command::of("sha256sum", &[]), input.as_slice())
        .await
        .unwrap();
    assert_eq!(ran.code, 0);
    let wanted = hex::encode(Sha256::digest(&input));
    assert_eq!(text(&ran).split(' ').next(), Some(wanted.as_str()));

    let (mut events, id) = start(&link, "cat", true, None).await;
    for (offset, data) in [(0, "abc"), (0, "abc"), (2, "cd"), (9, "hole")] {
        link.send(ToGuest::Stdin {
            operation: id,
            offset,
            data: data.into(),
            eof: false,
        })
        .await
        .unwrap();
    }
    link.send(ToGuest::Stdin {
        operation: id,
        offset: 4,
        data: Vec::new(),
        eof: true,
    })
    .await
    .unwrap();
    let mut got = Vec::new();
    loop {
        match events.recv().await.unwrap() {
            FromGuest::Output {
                piece: Piece::Data { data, .. },
                ..
            } => got.extend(data),
            FromGuest::Exited { code, .. } => {
                assert_eq!(code, 0);
                break;
            }
            _ => {}
        }
    }
    assert_eq!(got, b"abcd");
    bench.clean().await;
}

#[tokio::test]
async fn a_terminal_has_a_size_echoes_and_passes_interrupts() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let size = TtySize {
        rows: 40,
        cols: 100,
    };
    let (mut events, id) = start(
        &link,
        "tty; stty size; echo ready; sleep 1000; echo never",
        true,
        Some(size),
    )
    .await;
    let got = until(&mut events, "ready").await;
    assert!(got.contains("/dev/pts/"), "{got}");
    assert!(got.contains("40 100"), "{got}");
    link.send(ToGuest::Stdin {
        operation: id,
        offset: 0,
        data: vec![3],
        eof: false,
    })
    .await
    .unwrap();
    let code = loop {
        if let FromGuest::Exited { code, .. } = events.recv().await.unwrap() {
            break code;
        }
    };
    assert_eq!(code, 130);

    let (mut events, id) = start(
        &link,
        "trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.05; done",
        true,
        Some(size),
    )
    .await;
    until(&mut events, "ready").await;
    link.send(ToGuest::Resize {
        operation: id,
        size: TtySize { rows: 11, cols: 22 },
    })
    .await
    .unwrap();
    until(&mut events, "11 22").await;
    bench.clean().await;
}

#[tokio::test]
async fn deadline_ends_a_command_and_is_reported() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let begun = Instant::now();
    let mut command = shell("echo before; sleep 1000");
    command.deadline_ms = 500;
    let ran = link.run(command).await.unwrap();
    assert_eq!(ran.cause, ExitCause::Deadline);
    assert_eq!(ran.code, 137);
    assert_eq!(text(&ran), "before");
    assert!(begun.elapsed() >= Duration::from_millis(500));
    bench.clean().await;
}

#[tokio::test]
async fn starting_an_id_twice_runs_it_once_and_reports_its_end() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let operation = operation();
    for round in 0..3 {
        let mut events = link.events(operation);
        link.send(ToGuest::Start {
            operation,
            argv: ["/bin/sh", "-c", "echo once | tee -a /workspace/count"]
                .map(str::to_owned)
                .to_vec(),
            cwd: "/workspace".to_owned(),
            env: Default::default(),
            stdin: false,
            tty: None,
            deadline_ms: 10_000,
            stream_cap: 1000,
        })
        .await
        .unwrap();
        link.send(ToGuest::Replay { operation, from: 0 })
            .await
            .unwrap();
        let mut got = Vec::new();
        let code = loop {
            match events.recv().await.expect("the line lives") {
                FromGuest::Output {
                    piece:
                        Piece::Data {
                            stream: StreamName::Stdout,
                            data,
                            ..
                        },
                    ..
                } => got.extend(data),
                FromGuest::Exited { code, .. } => break code,
                _ => {}
            }
        };
        assert_eq!((code, got.as_slice()), (0, &b"once\n"[..]), "round {round}");
    }
    assert_eq!(stdout_of(&link, "wc -l < count").await, "1");
    link.send(ToGuest::Forget { operation }).await.unwrap();
    let mut events = link.events(operation);
    link.send(ToGuest::Replay { operation, from: 0 })
        .await
        .unwrap();
    assert_eq!(events.recv().await, Some(FromGuest::NoSuch { operation }));
    bench.clean().await;
}

#[tokio::test]
async fn a_full_workspace_is_an_error_of_the_command_and_not_of_the_sandbox() {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let ran = link
        .run(shell("dd if=/dev/zero of=big bs=1048576 count=1000"))
        .await
        .unwrap();
    assert_ne!(ran.code, 0);
    assert!(String::from_utf8_lossy(&ran.errors).contains("No space left"));
    assert_eq!(
        stdout_of(&link, "echo still here; rm big").await,
        "still here"
    );
    assert!(bench.driver.health(sandbox).await.unwrap().guest);
    bench.clean().await;
}

#[tokio::test]
async fn a_command_that_eats_all_memory_dies_and_the_guest_lives() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let ran = link
        .run(shell("x=a; while :; do x=$x$x$x$x; done"))
        .await
        .unwrap();
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(stdout_of(&link, "echo alive").await, "alive");
    bench.clean().await;
}
