//! A broken link, two links at once, a dead daemon: output continues without a hole.
use std::time::Duration;

use bollard::query_parameters::AttachContainerOptionsBuilder;
use roost_protocol::guest::{FromGuest, ToGuest};
use roost_protocol::output::Piece;
use tokio::io::AsyncWriteExt;

use crate::support::{Bench, driver, operation, stdout_of};

fn start(operation: roost_protocol::ids::OperationId, script: &str) -> ToGuest {
    ToGuest::Start {
        operation,
        argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        cwd: "/workspace".to_owned(),
        env: Default::default(),
        stdin: false,
        tty: None,
        deadline_ms: 60_000,
        stream_cap: 16 << 20,
    }
}

#[tokio::test]
async fn another_process_resumes_a_running_command_by_offset() {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let id = operation();
    let mut events = link.events(id);
    link.send(start(
        id,
        "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done",
    ))
    .await
    .unwrap();
    let mut got = Vec::new();
    while got.len() < 1000 {
        if let Some(FromGuest::Output {
            piece: Piece::Data { data, .. },
            ..
        }) = events.recv().await
        {
            got.extend(data);
        }
    }
    let instance = link.hello().await.unwrap().instance;
    // The first program ends here. A second one continues and knows only what it stored.
    drop(events);
    drop(link);
    let second = driver(&bench.owner).await;
    let link = second.attach(sandbox).await.unwrap();
    let hello = link.hello().await.unwrap();
    assert_eq!(hello.instance, instance);
    assert!(hello.processes.iter().any(|held| held.operation == id));
    let mut events = link.events(id);
    link.send(ToGuest::Replay {
        operation: id,
        from: got.len() as u64,
    })
    .await
    .unwrap();
    loop {
        match events.recv().await.unwrap() {
            FromGuest::Output { piece, .. } => {
                assert_eq!(piece.start(), got.len() as u64);
                let Piece::Data { data, .. } = piece else {
                    panic!("a gap")
                };
                got.extend(data);
            }
            FromGuest::Exited { output_end, .. } => {
                assert_eq!(output_end, got.len() as u64);
                break;
            }
            _ => {}
        }
    }
    let wanted: String = (0..2000).map(|n| format!("line {n}\n")).collect();
    assert!(got == wanted.as_bytes());
    bench.clean().await;
}

#[tokio::test]
async fn partial_frame_of_a_dead_writer_only_delays() {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    let options = AttachContainerOptionsBuilder::new()
        .stdin(true)
        .stdout(true)
        .stream(true)
        .build();
    let mut dying = docker
        .attach_container(&format!("roost-{sandbox}"), Some(options))
        .await
        .unwrap();
    let frame =
        roost_protocol::guest::encode(&start(operation(), "touch /workspace/torn")).unwrap();
    dying
        .input
        .write_all(&frame[..frame.len() - 5])
        .await
        .unwrap();
    dying.input.flush().await.unwrap();
    drop(dying);
    let patience = std::time::Instant::now();
    while link.hello().await.is_err() {
        assert!(patience.elapsed() < Duration::from_secs(30));
    }
    assert_eq!(stdout_of(&link, "ls").await, "");
    bench.clean().await;
}

#[tokio::test]
async fn garbage_from_another_writer_stops_nothing() {
    let bench = Bench::new().await;
    let (sandbox, link) = bench.sandbox().await;
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    let options = AttachContainerOptionsBuilder::new()
        .stdin(true)
        .stdout(true)
        .stream(true)
        .build();
    let mut stranger = docker
        .attach_container(&format!("roost-{sandbox}"), Some(options))
        .await
        .unwrap();
    let garbage: Vec<u8> = (0..100_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    stranger.input.write_all(&garbage).await.unwrap();
    stranger.input.flush().await.unwrap();
    assert_eq!(stdout_of(&link, "echo whole").await, "whole");
    bench.clean().await;
}

#[tokio::test]
async fn unacknowledged_output_is_kept_and_acknowledged_output_becomes_a_gap() {
    let bench = Bench::new().await;
    let (_, link) = bench.sandbox().await;
    let id = operation();
    let mut events = link.events(id);
    link.send(start(id, "yes | head -c 3145728")).await.unwrap();
    let mut end = 0;
    loop {
        match events.recv().await.unwrap() {
            FromGuest::Output { piece, .. } => {
                end = piece.end();
                link.send(ToGuest::Credit {
                    operation: id,
                    up_to: end + 262_144,
                    acked: end,
                })
                .await
                .unwrap();
            }
            FromGuest::Exited { .. } => break,
            _ => {}
        }
    }
    assert_eq!(end, 3_145_728);
    let mut again = link.events(id);
    link.send(ToGuest::Replay {
        operation: id,
        from: 0,
    })
    .await
    .unwrap();
    let first = loop {
        if let FromGuest::Output { piece, .. } = again.recv().await.unwrap() {
            break piece;
        }
    };
    let Piece::Gap { from: 0, to } = first else {
        panic!("{first:?}");
    };
    assert!(
        to > 1 << 20,
        "a MiB is held, so more than a MiB of three is gone: {to}"
    );
    bench.clean().await;
}

#[tokio::test]
async fn a_hundred_commands_at_once_each_get_their_own_output() {
    let bench = Bench::new().await;
    let mut spec = bench.spec();
    spec.limits.pids = 512;
    let (_, link) = bench.sandbox_of(&spec).await;
    let all = futures::future::join_all((0..100).map(|n| {
        let link = link.clone();
        async move {
            loop {
                // The guest runs 64 commands at once and refuses more.
                match link
                    .run(crate::support::shell(&format!("echo {n}; seq 1 500")))
                    .await
                {
                    Ok(ran) => break (n, crate::support::text(&ran)),
                    Err(roost_sandbox_driver::DriverError::NotStarted { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }))
    .await;
    for (n, text) in all {
        assert!(
            text.starts_with(&format!("{n}\n1\n2\n")) && text.ends_with("\n500"),
            "{n}"
        );
    }
    bench.clean().await;
}
