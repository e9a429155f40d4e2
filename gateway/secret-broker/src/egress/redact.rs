//! Removes a secret from a remote's answer, in the forms in which remotes echo: plain, URL-encoded, base64 at any
//! alignment and in both alphabets, hexadecimal, escaped for JSON and HTML (all bytes or some), upper and lower case,
//! and reversed; also across the borders of pieces.
//!
//! Each byte becomes `*`, so lengths do not change. A remote on the allow-list can still disguise the secret on purpose
//! (by encryption, double encoding, one letter at a time). The allow-list is the protection against such a remote.

mod mixed;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use memchr::memmem::Finder;
use zeroize::{Zeroize, Zeroizing};

use mixed::Reading;

/// Shorter forms would match ordinary text.
const LEAST: usize = 8;
const MASK: u8 = b'*';

/// Finds all forms of a set of secrets.
pub struct Redactor {
    /// Built for one use. An automaton would search faster, but building it takes longer than searching most answers.
    forms: Vec<Zeroizing<Vec<u8>>>,
    /// For forms that are escaped in part.
    secrets: Vec<Zeroizing<Vec<u8>>>,
}

impl Redactor {
    /// A redactor for these secrets.
    pub fn new(secrets: &[&[u8]]) -> Self {
        let mut forms: Vec<Zeroizing<Vec<u8>>> =
            secrets.iter().flat_map(|secret| forms_of(secret)).collect();
        forms.retain(|form| form.len() >= LEAST);
        forms.sort_unstable_by(|one, other| one.as_slice().cmp(other));
        forms.dedup();
        let secrets = secrets.iter().filter(|secret| secret.len() >= LEAST);
        let secrets = secrets
            .map(|secret| Zeroizing::new(secret.to_vec()))
            .collect();
        Self { forms, secrets }
    }

    /// Length of the shortest form in bytes; absent when there is no secret.
    pub fn least(&self) -> Option<usize> {
        self.forms.iter().map(|form| form.len()).min()
    }

    /// Masks whole occurrences in place.
    pub fn clean(&self, bytes: &mut [u8]) {
        for (begin, end) in self.found(bytes) {
            bytes[begin..end].fill(MASK);
        }
    }

    /// The text with the secrets masked.
    pub fn text(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        self.clean(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Every occurrence of every form, including overlaps.
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
        if mixed::may_be_escaped(bytes) {
            for secret in &self.secrets {
                all.extend((0..bytes.len()).filter_map(|at| {
                    match mixed::read(secret, bytes, at) {
                        Reading::Whole(end) => Some((at, end)),
                        Reading::Beginning | Reading::No => None,
                    }
                }));
            }
        }
        all
    }

    /// Length of the longest suffix of `bytes` that may begin a form.
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
        for secret in &self.secrets {
            let from = bytes.len().saturating_sub(mixed::reach(secret));
            if !mixed::may_be_escaped(&bytes[from..]) {
                continue;
            }
            let mut places = from..bytes.len() - longest;
            let begin = places.find(|at| mixed::read(secret, bytes, *at) == Reading::Beginning);
            longest = begin.map_or(longest, |at| bytes.len() - at);
        }
        longest
    }
}

/// Redacts one body as it streams. Only bytes that may begin a secret wait for the next piece, so events of a stream
/// pass at once.
pub struct Redaction {
    redactor: Arc<Redactor>,
    held: Vec<u8>,
    /// Which of the held bytes belong to a form that was already found.
    masked: Vec<bool>,
}

impl Redaction {
    /// Starts a new body.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: Vec::new(),
            masked: Vec::new(),
        }
    }

    /// Takes a piece; returns the bytes that may be sent.
    pub fn piece(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.masked.resize(self.held.len(), false);
        for (begin, end) in self.redactor.found(&self.held) {
            self.masked[begin..end].fill(true);
        }
        let go = self.held.len() - self.redactor.pending(&self.held);
        self.release(go)
    }

    /// The body is complete: returns the held bytes.
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
    // Every byte escaped: some encoders do this to be safe.
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

/// Inside a JSON string, and inside JSON that is itself a JSON string, as in nested errors.
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

/// The base64 characters that the secret alone determines, when `shift` bytes precede it in its group of three.
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
