//! Fingerprints: whether a finding of the branch was there before, although its lines have moved.
//!
//! A fingerprint holds the rule, the file, and what stands there: the scanner's own fingerprint, else the package, else
//! the code, else the message without its numbers. It holds no line number. When the same code is found several times in
//! one file, the occurrences are numbered in the order of their lines, so that one more of them is new. A file that is
//! renamed has new findings.
use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::finding::Finding;

/// Removes what one report says twice, and gives each finding its fingerprint. A reader leaves the scanner's own
/// fingerprint, or nothing, in the field.
pub(super) fn assign(findings: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    findings.retain(|finding| {
        seen.insert((
            finding.tool.clone(),
            finding.rule.clone(),
            finding.file.clone(),
            finding.line,
            finding.subject.clone(),
            finding.message.clone(),
        ))
    });
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|place| (findings[*place].line, *place));
    let mut occurrences: HashMap<String, usize> = HashMap::new();
    for place in order {
        let content = content_hash(&findings[place]);
        let occurrence = occurrences.entry(content.clone()).or_default();
        *occurrence += 1;
        findings[place].fingerprint = if *occurrence == 1 {
            content
        } else {
            hash(&[&content, &occurrence.to_string()])
        };
    }
}

fn content_hash(finding: &Finding) -> String {
    let content = if !finding.fingerprint.is_empty() {
        finding.fingerprint.clone()
    } else if let Some(subject) = &finding.subject {
        // A version that is still affected is the same fault.
        package_of(subject).to_owned()
    } else if let Some(snippet) = &finding.snippet {
        snippet.split_whitespace().collect()
    } else {
        finding
            .message
            .chars()
            .filter(|letter| !letter.is_ascii_digit() && !letter.is_whitespace())
            .collect()
    };
    hash(&[
        &finding.rule,
        finding.file.as_deref().unwrap_or_default(),
        &content,
    ])
}

/// The package without its version. The name of a package may begin with `@`.
fn package_of(subject: &str) -> &str {
    match subject.rsplit_once('@') {
        Some((package, _)) if !package.ends_with(':') => package,
        _ => subject,
    }
}

fn hash(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // The length before each part keeps ("ab", "c") and ("a", "bc") apart.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hex::encode(&hasher.finalize()[..16])
}
