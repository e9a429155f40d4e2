//! A secret in the encodings in which remotes echo requests.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// Every encoding with its name: plain, escaped, encoded, in another case.
pub fn encodings_of(secret: &str) -> Vec<(&'static str, String)> {
    let each = |form: fn(u8) -> String| secret.bytes().map(form).collect::<String>();
    let plain = serde_json::Value::from(secret).to_string();
    let percent = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect::<String>();
    let swapped = |c: char| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    vec![
        ("as it is", secret.to_owned()),
        ("JSON", plain.trim_matches('"').to_owned()),
        (
            "JSON, slashes too",
            plain.trim_matches('"').replace('/', "\\/"),
        ),
        ("JSON, all", each(|byte| format!("\\u{byte:04x}"))),
        ("JSON, all, capitals", each(|byte| format!("\\u{byte:04X}"))),
        ("base64", STANDARD.encode(secret)),
        ("base64 unpadded", STANDARD_NO_PAD.encode(secret)),
        ("base64 for URLs", URL_SAFE.encode(secret)),
        ("base64 for URLs unpadded", URL_SAFE_NO_PAD.encode(secret)),
        (
            "base64 after one byte",
            STANDARD.encode(format!(":{secret}:x")),
        ),
        (
            "base64 after two bytes",
            STANDARD.encode(format!("u:{secret}:x")),
        ),
        (
            "base64 as a header",
            STANDARD.encode(format!("Bearer {secret}")),
        ),
        ("hex", hex::encode(secret)),
        ("hex in capitals", hex::encode_upper(secret)),
        ("percent", percent),
        (
            "percent in small letters",
            each(|byte| match byte.is_ascii_alphanumeric() {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02x}"),
            }),
        ),
        ("percent, all", each(|byte| format!("%{byte:02X}"))),
        (
            "percent, all, in small letters",
            each(|byte| format!("%{byte:02x}")),
        ),
        ("other letters", secret.chars().map(swapped).collect()),
        ("capitals", secret.to_ascii_uppercase()),
        ("small letters", secret.to_ascii_lowercase()),
        ("backwards", secret.chars().rev().collect()),
    ]
}
