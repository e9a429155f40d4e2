//! Takes a secret out of what a remote sends back, in the forms in which remotes echo: as it is, URL-encoded, base64 at
//! any alignment and in both alphabets, hexadecimal, escaped for JSON and HTML, in capitals or small letters, backwards;
//! also across the borders of pieces.
//!
//! Each byte becomes `*`, so lengths stay true. A remote that is on the allow-list and sets out to disguise the secret
//! (enciphered, encoded twice, a letter at a time) can: the allow-list is what keeps a secret from such a remote.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use memchr::memmem::Finder;
use zeroize::{Zeroize, Zeroizing};

/// Shorter forms would be found in ordinary text.
const LEAST: usize = 8;
const MASK: u8 = b'*';

/// Finds the forms of some secrets.
pub struct Redactor {
    /// Made for one use: an automaton would find them faster and take longer to build than most answers to search.
    forms: Vec<Zeroizing<Vec<u8>>>,
}

impl Redactor {
    /// For these secrets.
    pub fn new(secrets: &[&[u8]]) -> Self {
        let mut forms: Vec<Zeroizing<Vec<u8>>> =
            secrets.iter().flat_map(|secret| forms_of(secret)).collect();
        forms.retain(|form| form.len() >= LEAST);
        forms.sort_unstable_by(|one, other| one.as_slice().cmp(other));
        forms.dedup();
        Self { forms }
    }

    /// Masks whole occurrences in place.
    pub fn clean(&self, bytes: &mut [u8]) {
        for (begin, end) in self.found(bytes) {
            bytes[begin..end].fill(MASK);
        }
    }

    /// A text without the secrets.
    pub fn text(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        self.clean(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Every occurrence of every form, also where they overlap.
    fn found(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        for form in &self.forms {
            let finder = Finder::new(form.as_slice());
            let mut from = 0;
            while let Some(at) = finder.find(&bytes[from..]) {
                let begin = from + at;
                all.push((begin, begin + form.len()));
                from = begin + 1;
            }
        }
        all
    }

    /// Length of the longest end of `bytes` that may be the beginning of a form.
    fn pending(&self, bytes: &[u8]) -> usize {
        let mut longest = 0;
        for form in &self.forms {
            let most = bytes.len().min(form.len() - 1);
            let from = bytes.len() - most;
            for begin in from..bytes.len() - longest.min(most) {
                if bytes[begin] == form[0] && form.starts_with(&bytes[begin..]) {
                    longest = bytes.len() - begin;
                    break;
                }
            }
        }
        longest
    }
}

/// One body on its way. What may be the beginning of a secret waits for the next piece, and nothing else does, so
/// events of a stream pass at once.
pub struct Redaction {
    redactor: Arc<Redactor>,
    held: Vec<u8>,
    /// Which of the held bytes belong to a form that was found already.
    masked: Vec<bool>,
}

impl Redaction {
    /// A new body.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: Vec::new(),
            masked: Vec::new(),
        }
    }

    /// Takes a piece, gives what can go.
    pub fn piece(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.masked.resize(self.held.len(), false);
        for (begin, end) in self.redactor.found(&self.held) {
            self.masked[begin..end].fill(true);
        }
        let go = self.held.len() - self.redactor.pending(&self.held);
        self.release(go)
    }

    /// The body is whole: what is left.
    pub fn end(&mut self) -> Vec<u8> {
        self.release(self.held.len())
    }

    fn release(&mut self, count: usize) -> Vec<u8> {
        let mut out = self.held[..count].to_vec();
        for (byte, masked) in out.iter_mut().zip(self.masked.drain(..count)) {
            if masked {
                *byte = MASK;
            }
        }
        self.held.copy_within(count.., 0);
        let left = self.held.len() - count;
        self.held[left..].zeroize();
        self.held.truncate(left);
        out
    }
}

impl Drop for Redaction {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}

fn forms_of(secret: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let mut forms: Vec<Vec<u8>> = vec![
        secret.to_vec(),
        hex::encode(secret).into_bytes(),
        hex::encode_upper(secret).into_bytes(),
    ];
    for kept in [
        &b""[..],
        b"-._~",
        b"*-._",
        b"-._~!$&'()*+,;=:@/",
        b"-_.!~*'()",
    ] {
        for upper in [true, false] {
            forms.push(percent(secret, kept, upper, false));
            forms.push(percent(secret, kept, upper, true));
        }
    }
    // Every byte escaped, which some do to be safe.
    for (before, upper) in [("%", true), ("%", false), ("\\u00", true), ("\\u00", false)] {
        forms.push(escaped(secret, before, upper));
    }
    for letters in [
        secret.to_ascii_uppercase(),
        secret.to_ascii_lowercase(),
        secret.iter().copied().map(other_case).collect(),
        secret.iter().rev().copied().collect(),
    ] {
        forms.extend(in_json(&letters));
        forms.push(letters);
    }
    forms.extend((0..3).flat_map(|shift| base64_inside(secret, shift)));
    forms.extend(in_json(secret));
    if let Ok(text) = std::str::from_utf8(secret) {
        for slash in ["/", "&#x2F;", "&#47;"] {
            let html = text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;")
                .replace('\'', "&#39;")
                .replace('/', slash);
            forms.push(html.into_bytes());
        }
    }
    forms.into_iter().map(Zeroizing::new).collect()
}

/// Inside a text of JSON, and inside one that is in a text of JSON itself, as errors of errors are.
fn in_json(text: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Vec::new();
    };
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let once = quoted(text);
    let slashed = once.replace('/', "\\/");
    let twice = quoted(&once);
    [once, slashed, twice].map(String::into_bytes).to_vec()
}

fn escaped(secret: &[u8], before: &str, upper: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(secret.len() * (before.len() + 2));
    for byte in secret {
        out.extend_from_slice(before.as_bytes());
        let digits = match upper {
            true => hex::encode_upper([*byte]),
            false => hex::encode([*byte]),
        };
        out.extend_from_slice(digits.as_bytes());
    }
    out
}

fn other_case(byte: u8) -> u8 {
    match byte.is_ascii_uppercase() {
        true => byte.to_ascii_lowercase(),
        false => byte.to_ascii_uppercase(),
    }
}

fn percent(secret: &[u8], kept: &[u8], upper: bool, plus: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(secret.len() * 3);
    for byte in secret {
        if byte.is_ascii_alphanumeric() || kept.contains(byte) {
            out.push(*byte);
        } else if plus && *byte == b' ' {
            out.push(b'+');
        } else if upper {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        }
    }
    out
}

/// What the secret is inside a longer base64 text, when `shift` bytes stand before it in its group of three: the
/// characters that it alone decides.
fn base64_inside(secret: &[u8], shift: usize) -> [Vec<u8>; 2] {
    let padded = Zeroizing::new([&[0; 2][..shift], secret].concat());
    let first = (shift * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    let cut = |text: String| {
        text.into_bytes()
            .get(first..last)
            .unwrap_or_default()
            .to_vec()
    };
    [
        cut(STANDARD.encode(&*padded)),
        cut(URL_SAFE.encode(&*padded)),
    ]
}

#[cfg(test)]
mod tests;
