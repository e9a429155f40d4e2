//! Bytes that no honest peer sends: nothing panics, and nothing is allocated because of a claimed length alone.
//!
//! A seeded, structure-aware fuzz of the goldens: `ROOST_FUZZ_ROUNDS` sets the rounds per sample (default 120).
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use roost_protocol::frame::{self, FrameError, ToGateway, ToNode};
use roost_protocol::guest::{FrameReader, FromGuest, ToGuest};
use roost_protocol::limits::MAX_FRAME_BYTES;

use crate::samples::{self, enveloped};
use crate::value::Value;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// Counts the bytes that a thread holds, so that a test detects an allocation by a claimed length.
struct Counting;

#[expect(unsafe_code, reason = "only an allocator sees what is allocated")]
// SAFETY: every call is passed to the system's allocator unchanged; the counters are plain thread-local cells.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = LIVE.try_with(|live| {
            live.set(live.get().saturating_add(layout.size()));
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
        });
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = LIVE.try_with(|live| live.set(live.get().saturating_sub(layout.size())));
        // SAFETY: the pointer came from `alloc` above with the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most bytes held while decoding one hostile frame, beyond its own: buffered content of a full frame and its result.
const MOST_HELD: usize = 96 * MAX_FRAME_BYTES;
/// Most for a small frame, whatever lengths it claims.
const MOST_HELD_BY_SMALL: usize = 4 * 1024 * 1024;

fn held_by<T>(work: impl FnOnce() -> T) -> usize {
    let before = LIVE.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    drop(work());
    PEAK.with(Cell::get) - before
}

fn feed(bytes: &[u8]) {
    let held = held_by(|| {
        let _ = frame::decode::<ToNode>(bytes).map(|frame| {
            if let ToNode::Operation(request) = &frame.message {
                let _ = request.validate();
            }
            // A decoded value can be encoded again.
            let _ = frame::encode(&frame);
        });
        let _ = frame::decode_from_node(bytes);
        let mut reader = FrameReader::default();
        reader.push(bytes);
        while reader.next_message::<ToGuest>().is_some() {}
        let mut reader = FrameReader::default();
        reader.push(bytes);
        while reader.next_message::<FromGuest>().is_some() {}
    });
    let most = if bytes.len() < 8192 {
        MOST_HELD_BY_SMALL
    } else {
        MOST_HELD
    };
    assert!(
        held < most,
        "{held} bytes were held for a frame of {}: {:02x?}",
        bytes.len(),
        &bytes[..bytes.len().min(64)]
    );
}

fn corpus() -> Vec<Vec<u8>> {
    let to_node = samples::to_node()
        .into_iter()
        .map(|(_, message)| frame::encode(&enveloped(message)));
    let to_gateway = samples::to_gateway()
        .into_iter()
        .map(|(_, message)| frame::encode(&enveloped(message)));
    let frames = to_node
        .chain(to_gateway)
        .map(|bytes| bytes.expect("a sample encodes"));
    let to_guest = samples::to_guest()
        .into_iter()
        .map(|(_, message)| roost_protocol::guest::encode(&message));
    let from_guest = samples::from_guest()
        .into_iter()
        .map(|(_, message)| roost_protocol::guest::encode(&message));
    let guest = to_guest
        .chain(from_guest)
        .map(|bytes| bytes.expect("a sample encodes"));
    frames.chain(guest).collect()
}

fn rounds() -> u64 {
    std::env::var("ROOST_FUZZ_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(120)
}

#[test]
fn mutated_bytes_never_panic_or_allocate_by_claimed_length() {
    for (number, original) in corpus().into_iter().enumerate() {
        for round in 0..rounds() {
            let seed = (number as u64) << 32 | round;
            let mut rng = StdRng::seed_from_u64(seed);
            let mut bytes = original.clone();
            for _ in 0..rng.random_range(1..=4) {
                change_bytes(&mut bytes, &mut rng);
            }
            feed(&bytes);
        }
    }
}

fn change_bytes(bytes: &mut Vec<u8>, rng: &mut StdRng) {
    if bytes.is_empty() {
        bytes.push(rng.random());
        return;
    }
    let at = rng.random_range(0..bytes.len());
    match rng.random_range(0..6) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes.truncate(at),
        3 => {
            // A header with a claimed length of four billion: array, map, string, binary, extension.
            let header = [0xdd, 0xdf, 0xdb, 0xc6, 0xc9][rng.random_range(0..5)];
            bytes.splice(at..=at, [header, 0xff, 0xff, 0xff, 0xff]);
        }
        4 => {
            let end = (at + rng.random_range(1..32)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            let end = (at + rng.random_range(1..32)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

#[test]
fn mutated_shapes_never_panic() {
    let frames = samples::to_node()
        .into_iter()
        .map(|(_, message)| frame::encode(&enveloped(message)))
        .chain(
            samples::to_gateway()
                .into_iter()
                .map(|(_, message)| frame::encode(&enveloped(message))),
        );
    for (number, original) in frames.enumerate() {
        let original = Value::read(&original.expect("a sample encodes"));
        for round in 0..rounds() {
            let mut rng = StdRng::seed_from_u64((number as u64) << 32 | round);
            let mut tree = original.clone();
            for _ in 0..rng.random_range(1..=3) {
                let places = tree.places();
                let place = &places[rng.random_range(0..places.len())];
                *tree.at(place) = strange(&mut rng, 0);
            }
            feed(&tree.write());
        }
    }
}

fn strange(rng: &mut StdRng, depth: u32) -> Value {
    match rng.random_range(0..12) {
        0 => Value::Nil,
        1 => Value::Bool(rng.random()),
        2 => Value::U64([0, 1, u64::MAX, u64::MAX - 1, 1 << 32, 1 << 63][rng.random_range(0..6)]),
        3 => Value::I64([-1, i64::MIN, i64::from(i32::MIN)][rng.random_range(0..3)]),
        4 => Value::F32([f32::NAN, f32::INFINITY, -0.0, 1e38][rng.random_range(0..4)]),
        5 => Value::F64([f64::NAN, f64::NEG_INFINITY, 1e300][rng.random_range(0..3)]),
        6 => Value::Str(
            [
                "",
                "\0",
                "\u{1b}]0;x\u{7}",
                "../../..",
                "--privileged",
                "type",
                "unknown",
            ][rng.random_range(0..7)]
            .to_owned(),
        ),
        7 => Value::Str("x".repeat(rng.random_range(0..70_000))),
        8 => Value::Bin(vec![0xff; rng.random_range(0..40_000)]),
        9 | 10 if depth < 6 => {
            let many = rng.random_range(0..5);
            Value::Seq((0..many).map(|_| strange(rng, depth + 1)).collect())
        }
        _ if depth < 6 => {
            let many = rng.random_range(0..5);
            Value::Map(
                (0..many)
                    .map(|_| (strange(rng, depth + 1), strange(rng, depth + 1)))
                    .collect(),
            )
        }
        _ => Value::Nil,
    }
}

#[test]
fn frame_of_pure_nesting_is_refused() {
    // Arrays in arrays, maps in maps, and both inside each field of a message.
    for opening in [&[0x91][..], &[0x81, 0xa0], &[0x81, 0x91]] {
        let deep = opening.repeat(MAX_FRAME_BYTES / opening.len());
        feed(&deep);
        assert!(matches!(
            frame::decode::<ToNode>(&deep),
            Err(FrameError::Malformed(_))
        ));
        let mut inside = frame::encode(&enveloped(ToNode::Unknown)).expect("it encodes");
        let name = inside
            .windows(4)
            .position(|window| window == b"type")
            .expect("it is tagged");
        inside[name - 2] = 0x82;
        inside.extend_from_slice(&[0xa1, b'x']);
        inside.extend_from_slice(&opening.repeat(100_000));
        feed(&inside);
        assert!(matches!(
            frame::decode::<ToNode>(&inside),
            Err(FrameError::Malformed(_))
        ));
    }
}

#[test]
fn claimed_lengths_allocate_nothing() {
    let prefix = {
        let bytes = frame::encode(&enveloped(ToGateway::Unknown)).expect("it encodes");
        let at = bytes
            .windows(4)
            .position(|window| window == b"type")
            .expect("it is tagged");
        bytes[..at - 2].to_vec()
    };
    for header in [0xddu8, 0xdf, 0xdb, 0xc6, 0xc9] {
        let mut bytes = prefix.clone();
        bytes.extend_from_slice(&[header, 0xff, 0xff, 0xff, 0xf0]);
        feed(&bytes);
        bytes.extend_from_slice(&[0xc0; 64]);
        feed(&bytes);
    }
}

#[test]
fn full_frame_of_smallest_values_has_bounded_memory() {
    // An unknown field of a tagged message is buffered before the decoder knows that it is unknown.
    let mut bytes = {
        let whole = frame::encode(&enveloped(ToGateway::Unknown)).expect("it encodes");
        let at = whole
            .windows(4)
            .position(|window| window == b"type")
            .expect("it is tagged");
        let mut bytes = whole[..at - 2].to_vec();
        bytes.extend_from_slice(&[0x82, 0xa1, b'x']);
        bytes
    };
    let rest = MAX_FRAME_BYTES - bytes.len() - 64;
    bytes.push(0xdd);
    bytes.extend_from_slice(&u32::try_from(rest).expect("it fits").to_be_bytes());
    bytes.extend(std::iter::repeat_n(0xc0, rest));
    bytes.extend_from_slice(&[0xa4, b't', b'y', b'p', b'e', 0xa7]);
    bytes.extend_from_slice(b"unknown");
    feed(&bytes);
    assert_eq!(
        frame::decode::<ToGateway>(&bytes)
            .expect("it is well formed")
            .message,
        ToGateway::Unknown
    );
}

#[test]
fn frame_over_the_limit_is_refused_before_decoding() {
    let bytes = vec![0xc0; MAX_FRAME_BYTES + 1];
    assert!(matches!(
        frame::decode::<ToGateway>(&bytes),
        Err(FrameError::TooLarge { got }) if got == MAX_FRAME_BYTES + 1
    ));
}

#[test]
fn bytes_after_a_frame_are_refused() {
    let mut bytes = frame::encode(&enveloped(ToGateway::Unknown)).expect("it encodes");
    bytes.push(0xc0);
    assert!(matches!(
        frame::decode::<ToGateway>(&bytes),
        Err(FrameError::Trailing(1))
    ));
}

#[test]
fn bytes_that_are_not_message_pack_are_refused() {
    for bytes in [
        &b""[..],
        b"{\"epoch\":1}",
        b"GET / HTTP/1.1\r\n",
        &[0xc1],
        &[0xc0],
        &[0x93, 1, 2, 0xc0],
    ] {
        assert!(
            matches!(
                frame::decode::<ToGateway>(bytes),
                Err(FrameError::Malformed(_))
            ),
            "{bytes:02x?}"
        );
    }
}
