//! Output of a sandbox, prepared for models and pages: limited in size, readable, without control characters. Pure
//! code.

use std::collections::VecDeque;
use std::time::Duration;

use roost_protocol::text;

/// The maximum size of a result's output, in bytes.
pub const RESULT_BYTES: usize = 48 * 1024;
/// The shortest time between two frames of a running command.
pub const FRAME_EVERY: Duration = Duration::from_millis(200);
/// The number of lines in one frame. When more lines arrived since the last frame, the latest are shown.
const FRAME_LINES: usize = 40;
/// The longest line of a frame, in bytes.
const LINE_BYTES: usize = 400;

/// A piece of output for subscribers while a command runs: lines, without control characters.
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

/// Output while it is collected.
#[derive(Debug)]
pub(super) struct Gathered {
    keep: Keep,
    most: usize,
    bytes: VecDeque<u8>,
    total: u64,
    /// Bytes that were lost on their way.
    missing: u64,
}

/// The final output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub text: String,
    /// The number of omitted bytes.
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

    /// Counts bytes that the machine does not have any more.
    pub(super) fn skip(&mut self, bytes: u64) {
        self.missing += bytes;
    }

    /// The kept output, unchanged, for tools with their own output format.
    pub(super) fn raw(&self) -> Vec<u8> {
        self.bytes.iter().copied().collect()
    }

    pub(super) fn kept(mut self) -> Kept {
        let left_out = self.total - self.bytes.len() as u64;
        let bytes = self.bytes.make_contiguous();
        let mut bytes: &[u8] = bytes;
        let mut partial = 0;
        if left_out > 0 {
            // Drop a partial line. A single line without an end is kept.
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

/// The text without escape sequences and control characters. Line ends and tabs stay. Text that a carriage return
/// would overwrite on a terminal becomes a line of its own.
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
        // OSC and other strings: up to BEL or ST, and at most to the end of the line.
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
        // Two characters, or an intermediate and a final character.
        Some(_) => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
        None => {}
    }
}

/// Makes frames of output: whole lines, and at most one frame in each [`FRAME_EVERY`].
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
            // A line without an end is also limited while it grows.
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
        // Text that a progress bar overwrote is dropped from the live output.
        let line = line.rsplit('\n').next().unwrap_or_default();
        if self.lines.len() == FRAME_LINES {
            self.lines.pop_front();
            self.skipped += 1;
        }
        self.lines
            .push_back(text::clean(&line.replace('\t', "    "), LINE_BYTES));
    }

    /// The time until the waiting lines may be shown. `None` when no lines wait.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        if self.lines.is_empty() {
            return None;
        }
        let due = self.shown_at.map_or(now, |at| at + FRAME_EVERY);
        Some(due.saturating_sub(now))
    }

    /// The waiting lines, if they may be shown now.
    pub(super) fn take(&mut self, now: Duration) -> Option<Frame> {
        match self.due_in(now) {
            Some(Duration::ZERO) => {
                self.shown_at = Some(now);
                Some(self.frame())
            }
            _ => None,
        }
    }

    /// The rest, at the end.
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
