//! Samples of both directions between a node and its guest.
use roost_protocol::guest::{ExitCause, FromGuest, Process, ToGuest};
use roost_protocol::operation::TtySize;

use super::{Named, id, operation_id, piece};

pub fn to_guest() -> Vec<Named<ToGuest>> {
    let operation = operation_id();
    vec![
        ("hello", ToGuest::Hello { nonce: 5 }),
        (
            "start",
            ToGuest::Start {
                operation,
                argv: vec!["true".into()],
                cwd: "/workspace".into(),
                env: [("A".to_owned(), "1".to_owned())].into(),
                stdin: true,
                tty: Some(TtySize { rows: 24, cols: 80 }),
                deadline_ms: 600_000,
                stream_cap: 1 << 24,
            },
        ),
        (
            "stdin",
            ToGuest::Stdin {
                operation,
                offset: 0,
                data: b"x".to_vec(),
                eof: false,
            },
        ),
        (
            "credit",
            ToGuest::Credit {
                operation,
                up_to: 1 << 18,
                acked: 1 << 17,
            },
        ),
        ("replay", ToGuest::Replay { operation, from: 3 }),
        (
            "resize",
            ToGuest::Resize {
                operation,
                size: TtySize {
                    rows: 50,
                    cols: 132,
                },
            },
        ),
        ("cancel", ToGuest::Cancel { operation }),
        ("forget", ToGuest::Forget { operation }),
        ("unknown", ToGuest::Unknown),
    ]
}

pub fn from_guest() -> Vec<Named<FromGuest>> {
    let operation = operation_id();
    vec![
        (
            "hello",
            FromGuest::Hello {
                nonce: 5,
                instance: id(9).into(),
                processes: vec![Process {
                    operation,
                    running: true,
                    output_end: 4,
                }],
            },
        ),
        ("started", FromGuest::Started { operation }),
        (
            "not-started",
            FromGuest::NotStarted {
                operation,
                errno: 2,
                detail: "no such file".into(),
            },
        ),
        (
            "output",
            FromGuest::Output {
                operation,
                piece: piece(),
            },
        ),
        (
            "stdin-taken",
            FromGuest::StdinTaken {
                operation,
                offset: 1,
            },
        ),
        (
            "exited",
            FromGuest::Exited {
                operation,
                code: 143,
                cause: ExitCause::Deadline,
                output_end: 4,
                output_dropped: 0,
                duration_ms: 12,
            },
        ),
        ("no-such", FromGuest::NoSuch { operation }),
        ("unknown", FromGuest::Unknown),
    ]
}
