//! Stdin of one command: bytes by offset, so that sending them twice is harmless, written as the command reads.

use std::io;
use std::os::fd::OwnedFd;

use roost_protocol::guest::STDIN_WINDOW;
use roost_protocol::machine::stdin::{StdinTaken, Taker};

/// Stdin of one command; see the module.
pub struct Stdin {
    /// The command's end; absent when it was closed or nobody reads.
    pipe: Option<OwnedFd>,
    /// Bytes that wait for the command, from `taken` on.
    waiting: Vec<u8>,
    /// Bytes written to the command.
    taken: u64,
    /// Decides which bytes are new; counts those that wait as well.
    taker: Taker,
    /// On a terminal the end of input is a character, and output needs the descriptor to stay open.
    terminal: bool,
    /// The offset must be reported: it changed, or a client asked for it.
    pub report_taken: bool,
}

/// The end-of-input character, typed at the beginning of a line.
const END_OF_TRANSMISSION: u8 = 4;

impl Stdin {
    pub fn new(pipe: Option<OwnedFd>, terminal: bool) -> Self {
        Self {
            pipe,
            waiting: Vec::new(),
            taken: 0,
            taker: Taker::default(),
            terminal,
            report_taken: false,
        }
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Accepts bytes that begin at `offset`. Known bytes are skipped. A hole, or more than the window, is refused, and
    /// the answer holds the present offset.
    pub fn offer(&mut self, offset: u64, data: &[u8], eof: bool) {
        // A client chooses the offset freely.
        let end = offset.saturating_add(data.len() as u64);
        let fits = end <= self.taken.saturating_add(STDIN_WINDOW);
        let new = fits.then(|| self.taker.take(offset, data.len(), eof));
        let Some(StdinTaken::Take { skip, eof }) = new else {
            self.report_taken = true;
            return;
        };
        self.waiting
            .extend_from_slice(data.get(skip..).unwrap_or_default());
        if eof {
            // There may be nothing left to write, and only a write reports the offset otherwise.
            self.report_taken = true;
            if self.terminal {
                self.waiting.push(END_OF_TRANSMISSION);
            }
        }
        if self.pipe.is_none() {
            // The command closed its stdin: bytes for it count as read.
            self.taken = self.taken.saturating_add(self.waiting.len() as u64);
            self.waiting.clear();
            self.report_taken = true;
        }
        self.close_at_end();
    }

    /// The descriptor to poll for writing, if bytes wait.
    pub fn wants_write(&self) -> Option<&OwnedFd> {
        self.pipe.as_ref().filter(|_| !self.waiting.is_empty())
    }

    /// Writes what the command has room for.
    pub fn write(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        match rustix::io::write(pipe, &self.waiting) {
            Ok(wrote) => {
                self.waiting.drain(..wrote);
                self.taken = self.taken.saturating_add(wrote as u64);
                self.report_taken = true;
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => {
                self.pipe = None;
                self.taken = self.taken.saturating_add(self.waiting.len() as u64);
                self.waiting.clear();
                self.report_taken = true;
            }
        }
        self.close_at_end();
    }

    fn close_at_end(&mut self) {
        if self.taker.closed() && self.waiting.is_empty() && !self.terminal {
            self.pipe = None;
        }
    }

    /// Closes stdin at the end of the command.
    pub fn close(&mut self) {
        self.pipe = None;
        self.waiting.clear();
        self.taker = Taker::at(self.taken, self.taker.closed());
    }
}

/// Makes a pipe's writing end non-blocking.
pub fn nonblocking(fd: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn piped() -> (Stdin, io::PipeReader) {
        let (reader, writer) = io::pipe().unwrap();
        let writer = OwnedFd::from(writer);
        nonblocking(&writer).unwrap();
        (Stdin::new(Some(writer), false), reader)
    }

    #[test]
    fn repeated_bytes_are_written_once_and_the_end_closes_stdin() {
        let (mut stdin, mut reader) = piped();
        stdin.offer(0, b"abc", false);
        stdin.offer(0, b"abc", false);
        stdin.offer(1, b"bcd", false);
        stdin.offer(4, b"e", true);
        stdin.write();
        let mut got = String::new();
        reader.read_to_string(&mut got).unwrap();
        assert_eq!(got, "abcde");
        assert_eq!(stdin.taken(), 5);
    }

    #[test]
    fn hole_is_refused_with_the_expected_offset() {
        let (mut stdin, _reader) = piped();
        stdin.offer(3, b"x", false);
        assert!(stdin.report_taken);
        assert_eq!(stdin.taken(), 0);
        assert!(stdin.wants_write().is_none());
    }

    #[test]
    fn end_without_bytes_is_answered() {
        let (mut stdin, _reader) = piped();
        stdin.offer(0, b"", true);
        assert!(stdin.report_taken && stdin.wants_write().is_none());
    }

    #[test]
    fn unreachable_offset_is_a_hole() {
        let (mut stdin, _reader) = piped();
        stdin.offer(u64::MAX, b"xy", true);
        assert!(stdin.report_taken);
        assert_eq!(stdin.taken(), 0);
    }

    #[test]
    fn more_than_the_window_is_refused() {
        let (mut stdin, _reader) = piped();
        let most = usize::try_from(STDIN_WINDOW).unwrap();
        stdin.offer(0, &vec![0; most], false);
        assert!(!stdin.report_taken);
        stdin.offer(STDIN_WINDOW, b"x", false);
        assert!(stdin.report_taken);
    }

    #[test]
    fn stdin_of_a_command_that_closed_it_is_discarded() {
        let (mut stdin, reader) = piped();
        drop(reader);
        stdin.offer(0, b"abc", false);
        stdin.write();
        stdin.offer(3, b"def", true);
        assert_eq!(stdin.taken(), 6);
    }
}
