//! Stdin of one command: bytes by offset, so that saying them twice is harmless, handed over as the command reads.
use std::io;
use std::os::fd::OwnedFd;

use roost_protocol::guest::STDIN_WINDOW;

/// See the module.
pub struct Stdin {
    /// The command's end of it; gone when it was closed or nobody reads.
    pipe: Option<OwnedFd>,
    /// Bytes that wait for the command, from `taken` on.
    waiting: Vec<u8>,
    /// Bytes handed to the command.
    taken: u64,
    eof: bool,
    /// On a terminal the end is a character, and the descriptor stays the output's.
    terminal: bool,
    /// Progress was made, or somebody asked.
    pub say_taken: bool,
}

/// The end of input, typed at the beginning of a line.
const END_OF_TRANSMISSION: u8 = 4;

impl Stdin {
    pub fn new(pipe: Option<OwnedFd>, terminal: bool) -> Self {
        Self {
            pipe,
            waiting: Vec::new(),
            taken: 0,
            eof: false,
            terminal,
            say_taken: false,
        }
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes bytes that begin at `offset`: known ones are skipped; a hole, or more than the window, is refused by
    /// answering how far it came.
    pub fn offer(&mut self, offset: u64, data: &[u8], eof: bool) {
        let held = self.taken + self.waiting.len() as u64;
        let end = offset + data.len() as u64;
        let known = usize::try_from(held.saturating_sub(offset)).unwrap_or(usize::MAX);
        let hole = offset > held;
        let over = end > self.taken + STDIN_WINDOW;
        if self.eof || hole || over || (known >= data.len() && !eof) {
            self.say_taken = true;
            return;
        }
        self.waiting
            .extend_from_slice(data.get(known..).unwrap_or_default());
        if eof && end >= held {
            self.eof = true;
            if self.terminal {
                self.waiting.push(END_OF_TRANSMISSION);
            }
        }
        if self.pipe.is_none() {
            // The command closed its stdin: bytes for it are as good as read.
            self.taken += self.waiting.len() as u64;
            self.waiting.clear();
            self.say_taken = true;
        }
        self.close_at_end();
    }

    /// The descriptor to poll for writing, when something waits.
    pub fn wants_write(&self) -> Option<&OwnedFd> {
        self.pipe.as_ref().filter(|_| !self.waiting.is_empty())
    }

    /// Hands over what the command has room for.
    pub fn write(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        match rustix::io::write(pipe, &self.waiting) {
            Ok(wrote) => {
                self.waiting.drain(..wrote);
                self.taken += wrote as u64;
                self.say_taken = true;
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => {
                self.pipe = None;
                self.taken += self.waiting.len() as u64;
                self.waiting.clear();
                self.say_taken = true;
            }
        }
        self.close_at_end();
    }

    fn close_at_end(&mut self) {
        if self.eof && self.waiting.is_empty() && !self.terminal {
            self.pipe = None;
        }
    }

    /// The command ended.
    pub fn close(&mut self) {
        self.pipe = None;
        self.waiting.clear();
    }
}

/// A pipe whose writing end does not block.
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
    fn bytes_said_twice_are_taken_once_and_the_end_closes() {
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
    fn a_hole_is_refused_with_the_offset_that_is_wanted() {
        let (mut stdin, _reader) = piped();
        stdin.offer(3, b"x", false);
        assert!(stdin.say_taken);
        assert_eq!(stdin.taken(), 0);
        assert!(stdin.wants_write().is_none());
    }

    #[test]
    fn more_than_the_window_is_refused() {
        let (mut stdin, _reader) = piped();
        let most = usize::try_from(STDIN_WINDOW).unwrap();
        stdin.offer(0, &vec![0; most], false);
        assert!(!stdin.say_taken);
        stdin.offer(STDIN_WINDOW, b"x", false);
        assert!(stdin.say_taken);
    }

    #[test]
    fn a_command_that_does_not_read_takes_everything_by_ignoring_it() {
        let (mut stdin, reader) = piped();
        drop(reader);
        stdin.offer(0, b"abc", false);
        stdin.write();
        stdin.offer(3, b"def", true);
        assert_eq!(stdin.taken(), 6);
    }
}
