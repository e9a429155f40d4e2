//! A judge's verdict on a comparison: one JSON object, parsed strictly. An invalid answer gives no verdict: the
//! gateway neither guesses nor replaces it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::directives::cut;
use super::graph::Node;

/// The maximum size of a judge's reason, in bytes. The rest is cut.
const MAX_REASON: usize = 8 * 1024;
/// The highest score.
const MOST: f64 = 10.0;

/// A judge's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The label of the best candidate.
    pub best: String,
    /// A score from 0 to 10 for each label.
    pub scores: BTreeMap<String, f64>,
    pub reason: String,
}

#[derive(Deserialize)]
struct RawVerdict {
    best: String,
    scores: BTreeMap<String, f64>,
    reason: String,
}

/// The label under which a judge sees a candidate.
pub fn label(node: &Node) -> String {
    node.id.to_ascii_uppercase()
}

/// Parses a verdict on the candidates with these labels.
///
/// # Errors
/// Why the answer is invalid, for people.
pub fn verdict(text: &str, labels: &[String]) -> Result<Verdict, String> {
    let json = object(text).ok_or("the judge's answer is not one JSON object")?;
    let raw: RawVerdict = serde_json::from_str(json)
        .map_err(|error| format!("the judge's answer is not a verdict: {error}"))?;
    for label in labels {
        match raw.scores.get(label) {
            None => return Err(format!("the judge gave {label} no score")),
            // This also refuses NaN.
            Some(score) if !(0.0..=MOST).contains(score) => {
                return Err(format!("the judge's score of {label} is not 0 to 10"));
            }
            Some(_) => {}
        }
    }
    if let Some(other) = raw.scores.keys().find(|label| !labels.contains(label)) {
        let other = cut(other, 40);
        return Err(format!(
            "the judge scored {other:?}, which was not among those to judge"
        ));
    }
    let Some(best) = raw.scores.get(&raw.best) else {
        let best = cut(&raw.best, 40);
        return Err(format!(
            "the judge called {best:?} the best, which was not among those to judge"
        ));
    };
    if let Some((higher, _)) = raw.scores.iter().find(|(_, score)| *score > best) {
        return Err(format!(
            "the judge called {} the best and scored {higher} higher",
            raw.best
        ));
    }
    let reason = raw.reason.trim();
    if reason.is_empty() {
        return Err("the judge gave no reason".to_owned());
    }
    Ok(Verdict {
        reason: cut(reason, MAX_REASON).to_owned(),
        best: raw.best,
        scores: raw.scores,
    })
}

/// The whole text, or the inside of its only fence. With two fences, or with text around an object, the object could
/// be a quotation from a candidate.
fn object(text: &str) -> Option<&str> {
    let text = text.trim();
    if text.starts_with('{') {
        return Some(text);
    }
    let (_, rest) = text.split_once("```")?;
    let (inside, after) = rest.split_once("```")?;
    if after.contains("```") {
        return None;
    }
    let inside = inside.strip_prefix("json").unwrap_or(inside).trim();
    inside.starts_with('{').then_some(inside)
}
