//! Coverage-guided fuzzing of every decoder for a peer's bytes: no input may panic, overflow or run away.
#![no_main]

use libfuzzer_sys::fuzz_target;
use roost_protocol::frame::{self, ToGateway, ToNode};
use roost_protocol::guest::{FrameReader, FromGuest, ToGuest};
use roost_protocol::machine::output::Receiver;
use roost_protocol::machine::session::Incoming;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = frame::decode::<ToNode>(bytes) {
        if let ToNode::Operation(request) = &frame.message {
            let _ = request.validate();
        }
        // A decoded frame can be encoded again, and decodes to the same value.
        if let Ok(written) = frame::encode(&frame) {
            let again = frame::decode::<ToNode>(&written).expect("what we write we can read");
            assert_eq!(frame::encode(&again).expect("it was written before"), written);
        }
    }
    if let Ok(frame) = frame::decode_from_node(bytes) {
        let _ = Incoming::of_gateway().judge(&frame);
        if let ToGateway::Output(chunk) = &frame.message {
            let _ = Receiver::new(0).take(&chunk.piece);
        }
        if let Ok(written) = frame::encode(&frame) {
            let again = frame::decode_from_node(&written).expect("what we write we can read");
            assert_eq!(frame::encode(&again).expect("it was written before"), written, "cleaning twice changes nothing");
        }
    }
    let mut reader = FrameReader::default();
    reader.push(bytes);
    while reader.next_message::<ToGuest>().is_some() {}
    let mut reader = FrameReader::default();
    reader.push(bytes);
    while reader.next_message::<FromGuest>().is_some() {}
});
