//! Writing a duration in its shortest form.

use crate::UNITS;

/// `5400` is `1h30m`; nothing is `0s`.
pub fn format(seconds: u64) -> String {
    let mut rest = seconds;
    let mut text = String::new();
    for (name, size) in UNITS {
        let count = rest / size;
        if count > 0 {
            text.push_str(&format!("{count}{name}"));
            rest -= count * size;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}
