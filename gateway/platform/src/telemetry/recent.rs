//! The latest lines of the log, kept in memory for operators and the support bundle. Lines and bytes are limited.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// The number of lines that are kept.
const LINES: usize = 1000;
/// Longer lines are cut.
const LINE_BYTES: usize = 2048;

static KEPT: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// The latest lines, oldest first.
pub fn lines() -> Vec<String> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().cloned().collect()
}

/// Writes into the memory. The log writes each event as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recent;

impl MakeWriter<'_> for Recent {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}

impl Write for Recent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        for line in text.lines().filter(|line| !line.is_empty()) {
            if kept.len() == LINES {
                kept.pop_front();
            }
            // The colours of a terminal are removed.
            kept.push_back(roost_protocol::text::clean(
                &without_colours(line),
                LINE_BYTES,
            ));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The line without `ESC [ … m`.
fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut parts = line.split("\u{1b}[");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_lines_are_kept_without_colours_and_no_more_than_the_bound() {
        let mut recent = Recent.make_writer();
        for number in 0..LINES + 5 {
            let line = format!("\u{1b}[32mINFO\u{1b}[0m line {number}\n");
            recent.write_all(line.as_bytes()).expect("memory takes it");
        }
        let lines = lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines.last().map(String::as_str), Some("INFO line 1004"));
    }
}
