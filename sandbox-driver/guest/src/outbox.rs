//! Frames on their way out: a bounded queue before a descriptor that never blocks us.
use std::os::fd::{AsFd, BorrowedFd};

use roost_protocol::guest::{FromGuest, encode};
use rustix::io::Errno;

/// Bytes after which no more output is queued: the rest stays in the rings.
const FULL: usize = 256 * 1024;
/// Bytes after which even answers are dropped: who does not read gets none, and may ask again.
const OVERFULL: usize = 4 * FULL;

/// See the module.
#[derive(Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    written: usize,
}

impl Outbox {
    /// True while output should be queued.
    pub fn has_room(&self) -> bool {
        self.bytes.len() - self.written < FULL
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.len() == self.written
    }

    /// Queues a message; false when it was dropped.
    pub fn put(&mut self, message: &FromGuest) -> bool {
        if self.bytes.len() - self.written >= OVERFULL {
            return false;
        }
        match encode(message) {
            Ok(frame) => {
                self.bytes.extend_from_slice(&frame);
                true
            }
            Err(_) => false,
        }
    }

    /// Writes what the descriptor takes. False when nobody is at the other end: what was queued is forgotten, and a
    /// reader that comes back asks for it.
    pub fn flush(&mut self, fd: BorrowedFd<'_>) -> bool {
        while !self.is_empty() {
            match rustix::io::write(fd.as_fd(), &self.bytes[self.written..]) {
                Ok(wrote) => self.written += wrote,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.bytes.clear();
                    self.written = 0;
                    return false;
                }
            }
        }
        if self.is_empty() {
            self.bytes.clear();
            self.written = 0;
        } else if self.written > FULL {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        true
    }
}
