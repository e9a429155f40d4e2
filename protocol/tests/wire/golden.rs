//! Golden bytes: the encoding of each variant, in committed hex files that never change.
//!
//! `ROOST_BLESS=1` writes missing files; an existing file is never overwritten. A shape that must change gets a new
//! variant or a new optional field (and a new golden), because machines in the field use the old one.
use std::collections::BTreeSet;
use std::path::PathBuf;

use roost_protocol::frame::{self, Envelope};
use roost_protocol::guest;

use crate::samples::{self, enveloped};
use crate::variants;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The golden bytes for a name such as `to-node/ping`; with `ROOST_BLESS=1` a missing file is made from `encoded`.
fn golden(name: &str, encoded: &[u8]) -> Vec<u8> {
    let path = folder().join(format!("{name}.hex"));
    if !path.exists() && std::env::var_os("ROOST_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("has a folder"))
            .expect("the folder can be made");
        let lines: Vec<String> = encoded.chunks(40).map(hex::encode).collect();
        std::fs::write(&path, lines.join("\n") + "\n").expect("the golden can be written");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{name} has no golden ({error}); make it with ROOST_BLESS=1 and commit it")
    });
    hex::decode(text.split_whitespace().collect::<String>()).expect("a golden is hex")
}

#[test]
fn messages_to_a_node_match_their_goldens_both_ways() {
    for (name, message) in samples::to_node() {
        let frame = enveloped(message);
        let bytes = frame::encode(&frame).expect("a sample encodes");
        let golden = golden(&format!("to-node/{name}"), &bytes);
        assert_eq!(
            hex::encode(&bytes),
            hex::encode(&golden),
            "{name} is written otherwise than in its golden"
        );
        assert_eq!(
            frame::decode(&golden).expect(name),
            frame,
            "{name} is read otherwise"
        );
    }
}

#[test]
fn messages_to_a_gateway_match_their_goldens_both_ways() {
    for (name, message) in samples::to_gateway() {
        let frame = enveloped(message);
        let bytes = frame::encode(&frame).expect("a sample encodes");
        let golden = golden(&format!("to-gateway/{name}"), &bytes);
        assert_eq!(
            hex::encode(&bytes),
            hex::encode(&golden),
            "{name} is written otherwise than in its golden"
        );
        assert_eq!(
            frame::decode(&golden).expect(name),
            frame,
            "{name} is read otherwise"
        );
    }
}

#[test]
fn messages_of_the_guest_stream_match_their_goldens_both_ways() {
    for (name, message) in samples::to_guest() {
        let bytes = guest::encode(&message).expect("a sample encodes");
        let golden = golden(&format!("to-guest/{name}"), &bytes);
        assert_eq!(
            hex::encode(&bytes),
            hex::encode(&golden),
            "{name} is written otherwise than in its golden"
        );
        let mut reader = guest::FrameReader::default();
        reader.push(&golden);
        assert_eq!(
            reader.next_message(),
            Some(message),
            "{name} is read otherwise"
        );
    }
    for (name, message) in samples::from_guest() {
        let bytes = guest::encode(&message).expect("a sample encodes");
        let golden = golden(&format!("from-guest/{name}"), &bytes);
        assert_eq!(
            hex::encode(&bytes),
            hex::encode(&golden),
            "{name} is written otherwise than in its golden"
        );
        let mut reader = guest::FrameReader::default();
        reader.push(&golden);
        assert_eq!(
            reader.next_message(),
            Some(message),
            "{name} is read otherwise"
        );
    }
}

#[test]
fn unit_enums_match_their_goldens() {
    for (name, bytes) in variants::words() {
        let golden = golden(&format!("words/{name}"), &bytes);
        assert_eq!(
            hex::encode(&bytes),
            hex::encode(&golden),
            "a word of {name} changed"
        );
    }
}

#[test]
fn every_variant_has_a_golden() {
    let mut seen = BTreeSet::new();
    for (_, message) in samples::to_node() {
        variants::of_to_node(&message, &mut seen);
    }
    for (_, message) in samples::to_gateway() {
        variants::of_to_gateway(&message, &mut seen);
    }
    for (_, message) in samples::to_guest() {
        variants::of_to_guest(&message, &mut seen);
    }
    for (_, message) in samples::from_guest() {
        variants::of_from_guest(&message, &mut seen);
    }
    let missing: Vec<_> = variants::all().difference(&seen).copied().collect();
    assert!(
        missing.is_empty(),
        "no sample, and so no golden, of {missing:?}"
    );
}

#[test]
fn no_golden_lacks_a_sample() {
    let named = |channel: &str, names: Vec<&str>| -> Vec<String> {
        names
            .iter()
            .map(|name| format!("{channel}/{name}.hex"))
            .collect()
    };
    let expected: BTreeSet<String> = [
        named(
            "to-node",
            samples::to_node().iter().map(|(name, _)| *name).collect(),
        ),
        named(
            "to-gateway",
            samples::to_gateway()
                .iter()
                .map(|(name, _)| *name)
                .collect(),
        ),
        named(
            "to-guest",
            samples::to_guest().iter().map(|(name, _)| *name).collect(),
        ),
        named(
            "from-guest",
            samples::from_guest()
                .iter()
                .map(|(name, _)| *name)
                .collect(),
        ),
        named(
            "words",
            variants::words().iter().map(|(name, _)| *name).collect(),
        ),
    ]
    .concat()
    .into_iter()
    .collect();
    let mut found = BTreeSet::new();
    for channel in ["to-node", "to-gateway", "to-guest", "from-guest", "words"] {
        for file in std::fs::read_dir(folder().join(channel)).expect("the folder is there") {
            let name = file.expect("an entry").file_name();
            found.insert(format!("{channel}/{}", name.to_string_lossy()));
        }
    }
    assert_eq!(found, expected, "a golden without a sample proves nothing");
}

#[test]
fn goldens_are_far_below_the_size_limit() {
    // The envelope must be small: the overhead of an output chunk matters on a slow line.
    let chunk = samples::to_gateway()
        .into_iter()
        .find(|(name, _)| *name == "output-data")
        .expect("there is one")
        .1;
    let bytes = frame::encode::<_>(&Envelope { ..enveloped(chunk) }).expect("it encodes");
    assert!(
        bytes.len() < 160,
        "a chunk of 4 bytes takes {}",
        bytes.len()
    );
}
