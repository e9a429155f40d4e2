//! What comes out of a sandbox, made fit for models and pages: bounded, readable, without control characters. Pure.

use std::collections::VecDeque;
use std::time::Duration;

use roost_protocol::text;

/// Output that a result holds, bytes.
pub const RESULT_BYTES: usize = 48 * 1024;
/// How often pieces of output are shown while a command runs.
pub const FRAME_EVERY: Duration = Duration::from_millis(200);
/// Lines of one frame; of more that came since the one before, the last are shown.
const FRAME_LINES: usize = 40;
/// Longest line of a frame, bytes.
const LINE_BYTES: usize = 400;

/// A piece of output while a command runs, for whoever watches: lines, without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub lines: Vec<String>,
}

/// Which part of long output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Start,
    End,
}

/// Output as it is gathered.
#[derive(Debug)]
pub(super) struct Gathered {
    keep: Keep,
    most: usize,
    bytes: VecDeque<u8>,
    total: u64,
    /// Bytes that never came: dropped on their way.
    missing: u64,
}

/// Output as it is given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub text: String,
    /// Bytes that were left out.
    pub left_out: u64,
}

impl Gathered {
    pub(super) fn new(keep: Keep, most: usize) -> Self {
        Self {
            keep,
            most,
            bytes: VecDeque::new(),
            total: 0,
            missing: 0,
        }
    }

    pub(super) fn push(&mut self, data: &[u8]) {
        self.total += data.len() as u64;
        match self.keep {
            Keep::Start => {
                let room = self.most - self.bytes.len();
                self.bytes.extend(&data[..data.len().min(room)]);
            }
            Keep::End => {
                let data = &data[data.len().saturating_sub(self.most)..];
                self.bytes.extend(data);
                let over = self.bytes.len().saturating_sub(self.most);
                self.bytes.drain(..over);
            }
        }
    }

    /// Bytes that are gone: the machine does not have them any more.
    pub(super) fn skip(&mut self, bytes: u64) {
        self.missing += bytes;
    }

    /// What is kept as it came, for tools that speak a form of their own.
    pub(super) fn raw(&self) -> Vec<u8> {
        self.bytes.iter().copied().collect()
    }

    pub(super) fn kept(mut self) -> Kept {
        let left_out = self.total - self.bytes.len() as u64;
        let bytes = self.bytes.make_contiguous();
        let mut bytes: &[u8] = bytes;
        let mut partial = 0;
        if left_out > 0 {
            // Half a line tells nothing; a single endless one is kept as it is.
            match self.keep {
                Keep::End => {
                    if let Some(at) = bytes.iter().take(4096).position(|byte| *byte == b'\n') {
                        (bytes, partial) = (&bytes[at + 1..], at + 1);
                    }
                }
                Keep::Start => {
                    let from = bytes.len().saturating_sub(4096);
                    if let Some(at) = bytes[from..].iter().rposition(|byte| *byte == b'\n') {
                        partial = bytes.len() - (from + at + 1);
                        bytes = &bytes[..=from + at];
                    }
                }
            }
        }
        Kept {
            text: readable(&String::from_utf8_lossy(bytes)),
            left_out: left_out + partial as u64 + self.missing,
        }
    }
}

/// Text without escape sequences and control characters; lines and tabs stay. What a carriage return overwrote on a
/// terminal stays visible as a line of its own.
pub(super) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.peek() {
        // CSI: parameters and intermediates, then one final byte.
        Some('[') => {
            chars.next();
            while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
            chars.next_if(|c| ('@'..='~').contains(c));
        }
        // OSC and other strings: up to BEL or ST, and never beyond the line.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        // Two characters, or an intermediate and a final one.
        Some(_) => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
        None => {}
    }
}

/// Makes frames of output: whole lines, at most one frame in [`FRAME_EVERY`].
#[derive(Debug, Default)]
pub(super) struct Frames {
    line: Vec<u8>,
    lines: VecDeque<String>,
    skipped: usize,
    shown_at: Option<Duration>,
}

impl Frames {
    pub(super) fn push(&mut self, data: &[u8]) {
        for piece in data.split_inclusive(|byte| *byte == b'\n') {
            let ended = piece.last() == Some(&b'\n');
            // A line without an end is bounded while it grows, too.
            let room = (4 * LINE_BYTES).saturating_sub(self.line.len());
            self.line.extend(&piece[..piece.len().min(room)]);
            if ended {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = readable(&String::from_utf8_lossy(&std::mem::take(&mut self.line)));
        let line = line.trim_end_matches('\n');
        // What a progress bar overwrote is of no interest live.
        let line = line.rsplit('\n').next().unwrap_or_default();
        if self.lines.len() == FRAME_LINES {
            self.lines.pop_front();
            self.skipped += 1;
        }
        self.lines
            .push_back(text::clean(&line.replace('\t', "    "), LINE_BYTES));
    }

    /// How long until what waits may be shown; `None` when nothing waits.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        if self.lines.is_empty() {
            return None;
        }
        let due = self.shown_at.map_or(now, |at| at + FRAME_EVERY);
        Some(due.saturating_sub(now))
    }

    /// What waits, when it may be shown.
    pub(super) fn take(&mut self, now: Duration) -> Option<Frame> {
        match self.due_in(now) {
            Some(Duration::ZERO) => {
                self.shown_at = Some(now);
                Some(self.frame())
            }
            _ => None,
        }
    }

    /// What is left at the end.
    pub(super) fn rest(&mut self) -> Option<Frame> {
        if !self.line.is_empty() {
            self.end_line();
        }
        (!self.lines.is_empty()).then(|| self.frame())
    }

    fn frame(&mut self) -> Frame {
        let mut lines: Vec<String> = self.lines.drain(..).collect();
        let skipped = std::mem::take(&mut self.skipped);
        if skipped > 0 {
            lines.insert(0, format!("… {skipped} lines more"));
        }
        Frame { lines }
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
