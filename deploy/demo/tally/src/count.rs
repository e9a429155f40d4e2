//! How often each word occurs.

use crate::words;

/// The `most` most frequent words, the most frequent first. Equal ones are in the order of the alphabet.
pub fn top(text: &str, most: usize) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for word in words(text) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(most);
    counts
}
