//! Frames against slow, disconnecting, oversized and invalid peers.

use proptest::prelude::*;
use tokio::io::duplex;

use super::*;
use crate::wire::{Answer, Fault, FaultCode, Hello, Request};

/// Far longer than any of these tests takes.
const SOON: Patience = Patience {
    idle: Some(Duration::from_secs(30)),
    frame: Duration::from_secs(30),
};

fn hello() -> Hello {
    Hello {
        oldest: 1,
        newest: 1,
        program: "test".into(),
    }
}

async fn read_all(bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut reader = FrameReader::new(bytes);
    let mut all = Vec::new();
    while let Some(frame) = reader.next(SOON).await? {
        all.push(frame);
    }
    Ok(all)
}

#[tokio::test]
async fn frames_are_read_in_order_however_the_bytes_are_split() {
    let (near, far) = duplex(7);
    let body = vec![9_u8; MAX_BODY_FRAME + 1];
    let sent = body.clone();
    let writing = async move {
        let mut writer = FrameWriter::new(near);
        writer.message(&hello(), SOON).await.unwrap();
        writer.body(&sent, SOON).await.unwrap();
        writer.end(SOON).await.unwrap();
    };
    let reading = async move {
        let mut reader = FrameReader::new(far);
        let Some(Frame::Message(message)) = reader.next(SOON).await.unwrap() else {
            panic!("a message comes first")
        };
        assert_eq!(decode::<Hello>(&message).unwrap(), hello());
        let mut got = Vec::new();
        loop {
            match reader.next(SOON).await.unwrap() {
                Some(Frame::Body(piece)) => got.extend_from_slice(&piece),
                Some(Frame::End) => break,
                _ => panic!("only the body and its end follow"),
            }
        }
        assert!(reader.next(SOON).await.unwrap().is_none());
        got
    };
    let ((), got) = tokio::join!(writing, reading);
    assert_eq!(got, body);
}

#[tokio::test]
async fn frame_over_its_limit_is_refused_by_its_header() {
    let claimed = u32::try_from(MAX_MESSAGE + 1).unwrap().to_be_bytes();
    let mut bytes = claimed.to_vec();
    bytes.push(MESSAGE);
    assert!(matches!(
        read_all(&bytes).await,
        Err(FrameError::TooLarge { .. })
    ));
    assert!(matches!(
        read_all(&[0, 0, 0, 0, 77]).await,
        Err(FrameError::UnknownKind(77))
    ));
    assert!(matches!(
        read_all(&[0, 0, 0, 9, BODY, 1]).await,
        Err(FrameError::CutOff)
    ));
}

#[tokio::test]
async fn slow_frame_times_out_even_when_bytes_trickle() {
    let (near, far) = duplex(64);
    let patience = Patience {
        idle: None,
        frame: Duration::from_millis(100),
    };
    let dripping = async move {
        let mut near = near;
        near.write_all(&[0, 0, 0, 200, BODY]).await.unwrap();
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            if near.write_all(&[1]).await.is_err() {
                return;
            }
        }
    };
    let mut reader = FrameReader::new(far);
    tokio::select! {
        read = reader.next(patience) => assert!(matches!(read, Err(FrameError::Stalled))),
        () = dripping => panic!("the reader gives up first"),
    }
}

#[tokio::test]
async fn peer_that_does_not_read_times_out() {
    let (near, _far) = duplex(16);
    let mut writer = FrameWriter::new(near);
    let patience = Patience {
        frame: Duration::from_millis(20),
        ..SOON
    };
    let sent = writer.body(&[0; 4096], patience).await;
    assert!(matches!(sent, Err(FrameError::Stalled)));
}

#[test]
fn bytes_after_a_message_and_other_shapes_are_refused() {
    let mut bytes = encode(&hello()).unwrap().to_vec();
    assert!(decode::<Hello>(&bytes).is_ok());
    bytes.push(0xc0);
    assert!(matches!(decode::<Hello>(&bytes), Err(FrameError::Trailing)));
    *bytes.last_mut().unwrap() = 0xc1;
    assert!(matches!(decode::<Hello>(&bytes), Err(FrameError::Trailing)));
    let answer = encode(&Answer::Failed(Fault::new(FaultCode::Busy, "x"))).unwrap();
    assert!(matches!(
        decode::<Request>(&answer),
        Err(FrameError::Malformed(_))
    ));
}

#[test]
fn deeply_nested_message_does_not_overflow_the_stack() {
    let deep = vec![0x91_u8; 100_000];
    assert!(decode::<Request>(&deep).is_err());
}

proptest! {
    #[test]
    fn decoder_does_not_panic_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        // The test only needs this to return; the result does not matter.
        let _ = decode::<Request>(&bytes);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _ = runtime.block_on(read_all(&bytes));
    }
}
