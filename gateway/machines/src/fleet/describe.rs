//! What people can write on a machine: its name and its labels.

use serde::Deserialize;
use utoipa::ToSchema;

use roost_web::json::{Check, Mistakes};

/// `PATCH /api/nodes/{id}`
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DescribeRequest {
    pub name: Option<String>,
    /// At most 16 words of small letters, digits, `.`, `_` and `-`. They replace the present labels.
    pub labels: Option<Vec<String>>,
}

/// Labels that a machine may have.
const MOST_LABELS: usize = 16;

fn is_label(label: &str) -> bool {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    label.len() <= 32
        && label.bytes().next().is_some_and(word)
        && label
            .bytes()
            .all(|b| word(b) || matches!(b, b'.' | b'_' | b'-'))
}

impl Check for DescribeRequest {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
        let labels = self.labels.as_deref().unwrap_or_default();
        if labels.len() > MOST_LABELS {
            mistakes.add("/labels", "must be at most 16 labels");
        }
        if let Some(at) = labels.iter().position(|label| !is_label(label)) {
            mistakes.add(
                &format!("/labels/{at}"),
                "must be 1 to 32 small letters, digits, `.`, `_` or `-`, and begin with a letter or digit",
            );
        }
        if self.name.is_none() && self.labels.is_none() {
            mistakes.add("", "must have a name or labels");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_plain_words() {
        for good in ["gpu", "rack-3", "a.b_c", "0"] {
            assert!(is_label(good), "{good}");
        }
        for bad in ["", "-gpu", "GPU", "a b", "é", "a\u{202e}b", &"x".repeat(33)] {
            assert!(!is_label(bad), "{bad:?}");
        }
    }
}
