//! A scan for secrets in files. The rules are a closed list, and no snippet shows a secret: at most its first four
//! characters and its length. A fingerprint comes from that snippet, so it cannot be used to guess the secret either.
mod rules;

use std::ops::Range;

use rules::{RULES, Rule, is_placeholder};

use super::finding::{Collector, Finding, Report};

/// The scan's name in findings.
pub const TOOL: &str = "roost secrets";
/// How much of a file is scanned. The rest is left out with a note.
pub const MOST_FILE: usize = 2 * 1024 * 1024;
const MOST_SECRETS: usize = 200;
/// Git takes a file for binary if its first 8,000 bytes hold a zero.
const BINARY_BYTES: usize = 8_000;
/// How much of a line is shown before and after the secret.
const AROUND: usize = 100;

/// A secret in a text: the rule and the bytes.
struct Found {
    rule: &'static Rule,
    /// Where the rule's text begins; a private key begins before its secret bytes.
    begin: usize,
    secret: Range<usize>,
}

/// Scans one file of the repository. Binary files have no findings.
pub fn scan(path: &str, bytes: &[u8]) -> Report {
    let mut all = Collector::default();
    if bytes.iter().take(BINARY_BYTES).any(|byte| *byte == 0) {
        return all.finish();
    }
    let text = bytes.get(..MOST_FILE).unwrap_or(bytes);
    if text.len() < bytes.len() {
        all.note(&format!(
            "{path} has over 2 MB; only its first 2 MB were scanned for secrets"
        ));
    }
    let mut found = find(text);
    if found.len() > MOST_SECRETS {
        all.note(&format!(
            "{path} has {} secrets; the first {MOST_SECRETS} are listed",
            found.len()
        ));
    }
    let spans: Vec<Range<usize>> = found.iter().map(|found| found.secret.clone()).collect();
    found.truncate(MOST_SECRETS);
    let (mut line, mut counted) = (1_u32, 0);
    for found in found {
        let newlines = memchr::memchr_iter(b'\n', &text[counted..found.begin]).count();
        line = line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        counted = found.begin;
        all.add(Finding {
            rule: found.rule.id.to_owned(),
            tool: TOOL.to_owned(),
            severity: found.rule.severity,
            message: format!(
                "{} in the code. Revoke it and take it out.",
                found.rule.title
            ),
            file: Some(path.to_owned()),
            line: Some(line),
            snippet: Some(snippet(text, &found, &spans)),
            aliases: vec!["CWE-798".to_owned()],
            ..Finding::default()
        });
    }
    all.finish()
}

/// The text with each secret masked, for words of other tools.
pub(super) fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let spans: Vec<Range<usize>> = find(bytes).into_iter().map(|found| found.secret).collect();
    if spans.is_empty() {
        return text.to_owned();
    }
    masked(bytes, 0..bytes.len(), &spans)
}

/// The secrets in the order of their places. Where two rules match, the first rule of the list counts.
fn find(text: &[u8]) -> Vec<Found> {
    let folded = text.to_ascii_lowercase();
    let mut all: Vec<Found> = Vec::new();
    for (rule, regex) in RULES.iter() {
        let possible = rule
            .keywords
            .iter()
            .any(|word| memchr::memmem::find(&folded, word.as_bytes()).is_some());
        if !possible {
            continue;
        }
        let mut of_rule = Vec::new();
        for captures in regex.captures_iter(text) {
            let (Some(whole), Some(secret)) = (captures.get(0), captures.get(1)) else {
                continue;
            };
            if entropy(secret.as_bytes()) < rule.least_entropy
                || is_placeholder(secret.as_bytes(), rule.is_guess)
            {
                continue;
            }
            let secret = secret.start()..end_of_token(text, secret.end());
            of_rule.push(Found {
                rule,
                begin: whole.start(),
                secret,
            });
        }
        // Both lists are in order and each is free of overlaps.
        let known: Vec<Range<usize>> = all.iter().map(|found| found.secret.clone()).collect();
        of_rule.retain(|new| {
            let at = known.partition_point(|span| span.end <= new.secret.start);
            known
                .get(at)
                .is_none_or(|span| span.start >= new.secret.end)
        });
        let mut end = 0;
        of_rule.retain(|new| {
            let apart = new.secret.start >= end;
            end = end.max(new.secret.end);
            apart
        });
        all.extend(of_rule);
        all.sort_by_key(|found| found.secret.start);
    }
    all
}

/// The end of the token that a secret is a part of. A rule ends at the longest token that it knows.
fn end_of_token(text: &[u8], end: usize) -> usize {
    let more = text[end..]
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=')
        })
        .count();
    end + more
}

/// The line of a secret, with all secrets masked.
fn snippet(text: &[u8], found: &Found, spans: &[Range<usize>]) -> String {
    let at = found.begin;
    let line_begin = memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
    let line_end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline);
    let begin = line_begin.max(at.saturating_sub(AROUND));
    let end = line_end.min(found.secret.end.max(at) + AROUND);
    masked(text, begin..end.max(begin), spans)
}

/// A part of the text with each secret as its first characters and its length.
fn masked(text: &[u8], part: Range<usize>, spans: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = part.start;
    for span in spans {
        if span.end <= at || span.start >= part.end {
            continue;
        }
        if span.start >= at {
            out.push_str(&String::from_utf8_lossy(&text[at..span.start]));
            out.push_str(&hint(&text[span.clone()]));
        } else {
            // The part begins inside of a secret.
            out.push('…');
        }
        at = span.end.min(part.end);
    }
    out.push_str(&String::from_utf8_lossy(&text[at..part.end.max(at)]));
    out
}

/// The first characters of a secret and its length: four, and at most a third of a short one.
fn hint(secret: &[u8]) -> String {
    let shown = (secret.len() / 3).min(4);
    let begin = String::from_utf8_lossy(&secret[..shown]);
    format!("{begin}… ({} characters)", secret.len())
}

/// Shannon's entropy in bits a byte. A word has about 2.5 to 3, a key over 4.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all = bytes.len() as f64;
    counts
        .into_iter()
        .filter(|count| *count > 0)
        .map(|count| {
            let part = count as f64 / all;
            -part * part.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests;
