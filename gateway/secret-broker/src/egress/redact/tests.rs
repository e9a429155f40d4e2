//! Redaction: every form, every border, and nothing except the secret.

use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::*;

const SECRET: &[u8] = b"rst_C4n/ary+Tok=en~9";

/// The body after redaction, fed in pieces of these lengths, repeated.
fn passed(body: &[u8], lengths: &[usize]) -> Vec<u8> {
    let mut redaction = Redaction::new(Arc::new(Redactor::new(&[SECRET])));
    let (mut out, mut rest, mut turn) = (Vec::new(), body, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(lengths[turn % lengths.len()].clamp(1, rest.len()));
        out.extend(redaction.piece(piece));
        (rest, turn) = (after, turn + 1);
    }
    out.extend(redaction.end());
    out
}

/// The forms of the secret to search for in the output. This is a second implementation, independent of the redactor.
fn echoes() -> Vec<(&'static str, Vec<u8>)> {
    let text = std::str::from_utf8(SECRET).unwrap();
    let url: String = url::form_urlencoded::byte_serialize(SECRET).collect();
    let mut all = vec![
        ("as it is", SECRET.to_vec()),
        ("form", url.clone().into_bytes()),
        (
            "form, small",
            url.replace("%2F", "%2f")
                .replace("%2B", "%2b")
                .replace("%3D", "%3d")
                .replace("%7E", "%7e")
                .into_bytes(),
        ),
        (
            "component",
            text.replace('/', "%2F")
                .replace('+', "%2B")
                .replace('=', "%3D")
                .into_bytes(),
        ),
        ("hex", hex::encode(SECRET).into_bytes()),
        ("HEX", hex::encode_upper(SECRET).into_bytes()),
        ("json", text.replace('/', "\\/").into_bytes()),
        ("html", text.replace('/', "&#x2F;").into_bytes()),
        ("capitals", text.to_uppercase().into_bytes()),
        ("small letters", text.to_lowercase().into_bytes()),
        ("other letters", b"RST_c4N/ARY+tOK=EN~9".to_vec()),
        ("backwards", b"9~ne=koT+yra/n4C_tsr".to_vec()),
        ("every byte", every_byte("%", "")),
        ("every byte in JSON", every_byte("\\u00", "")),
        (
            "every byte in JSON, capitals",
            every_byte("\\u00", "capitals"),
        ),
        ("some bytes in JSON", partly("\\u00", "")),
        ("some bytes in an address", partly("%", "")),
        ("some bytes in HTML", partly("&#x", ";")),
    ];
    for (name, padded, bare) in [
        (
            "base64",
            STANDARD.encode(SECRET),
            STANDARD_NO_PAD.encode(SECRET),
        ),
        (
            "base64url",
            URL_SAFE.encode(SECRET),
            URL_SAFE_NO_PAD.encode(SECRET),
        ),
    ] {
        all.push((name, padded.into_bytes()));
        all.push((name, bare.into_bytes()));
    }
    all
}

/// Escapes the fifth to eighth byte, as a remote that hides the middle would.
fn partly(before: &str, after: &str) -> Vec<u8> {
    let each = SECRET.iter().enumerate().map(|(at, byte)| match at {
        5..8 => format!("{before}{byte:02x}{after}"),
        _ => char::from(*byte).to_string(),
    });
    each.collect::<String>().into_bytes()
}

fn every_byte(before: &str, capitals: &str) -> Vec<u8> {
    let each = SECRET.iter().map(|byte| match capitals {
        "" => format!("{before}{byte:02x}"),
        _ => format!("{before}{byte:02X}"),
    });
    each.collect::<Vec<_>>().concat().into_bytes()
}

#[test]
fn secret_in_nested_json_is_removed() {
    let secret = br#"a"quoted\secret"#;
    let text = std::str::from_utf8(secret).unwrap();
    let once = serde_json::json!({ "message": text }).to_string();
    let twice = serde_json::json!({ "cause": once }).to_string();
    let redactor = Redactor::new(&[secret]);
    for body in [once, twice] {
        let cleaned = redactor.text(&body);
        assert!(!cleaned.contains("secret"), "{cleaned}");
    }
}

#[test]
fn every_form_is_removed_at_any_piece_border() {
    for (name, echo) in echoes() {
        let body = [b"{\"before\": \"", echo.as_slice(), b"\", \"after\": 1}"].concat();
        for length in 1..=body.len() {
            let out = passed(&body, &[length]);
            assert_eq!(out.len(), body.len(), "{name} in pieces of {length}");
            assert!(
                out.starts_with(b"{\"before\": \"*") && out.ends_with(b"\", \"after\": 1}"),
                "{name}: {}",
                String::from_utf8_lossy(&out)
            );
            let kept = echo
                .windows(6)
                .any(|part| out.windows(6).any(|window| window == part));
            assert!(
                !kept,
                "{name} in pieces of {length}: {}",
                String::from_utf8_lossy(&out)
            );
        }
    }
}

#[test]
fn secret_inside_longer_base64_is_found_at_each_alignment() {
    for before in 0..7 {
        for engine in [&STANDARD, &URL_SAFE] {
            let whole = [&b"user:xy"[..before], SECRET, b" and more"].concat();
            let text = engine.encode(&whole);
            let out = String::from_utf8(passed(text.as_bytes(), &[5])).unwrap();
            let stars = out.bytes().filter(|byte| *byte == b'*').count();
            assert!(
                stars >= SECRET.len() * 8 / 6 - 2,
                "{before} before it: {out}"
            );
            let decoded = engine.decode(out.replace('*', "A")).unwrap();
            assert!(
                !decoded.windows(4).any(|part| part == &SECRET[4..8]),
                "{before} before it"
            );
        }
    }
}

#[test]
fn two_overlapping_secrets_are_both_removed() {
    let redactor = Redactor::new(&[b"abcdefgh12", b"gh12ijklmn"]);
    assert_eq!(redactor.text("-abcdefgh12ijklmn-"), "-****************-");
    let mut redaction = Redaction::new(Arc::new(redactor));
    let mut out = redaction.piece(b"-abcdefgh12");
    out.extend(redaction.piece(b"ijklmn-"));
    out.extend(redaction.end());
    assert_eq!(out, b"-****************-");
}

#[test]
fn event_passes_at_once_when_its_end_cannot_begin_the_secret() {
    let mut redaction = Redaction::new(Arc::new(Redactor::new(&[SECRET])));
    assert_eq!(redaction.piece(b"data: 1\n\n"), b"data: 1\n\n");
    assert_eq!(redaction.piece(b"data: rst_"), b"data: ");
    assert_eq!(redaction.piece(b"x\n\n"), b"rst_x\n\n");
}

proptest! {
    #[test]
    fn other_bytes_are_unchanged(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        lengths in proptest::collection::vec(1..40_usize, 1..6),
    ) {
        prop_assert_eq!(passed(&body, &lengths), body);
    }

    #[test]
    fn secret_after_partial_matches_is_removed(
        parts in proptest::collection::vec(0..=SECRET.len(), 1..12),
        lengths in proptest::collection::vec(1..30_usize, 1..6),
    ) {
        let body: Vec<u8> = parts.iter().flat_map(|count| SECRET[..*count].to_vec()).collect();
        let out = passed(&body, &lengths);
        prop_assert_eq!(out.len(), body.len());
        prop_assert!(!out.windows(SECRET.len()).any(|window| window == SECRET));
    }
}
