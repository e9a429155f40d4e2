//! Outgoing frames: a bounded queue before a descriptor that never blocks the guest.
use std::os::fd::{AsFd, BorrowedFd};

use roost_protocol::guest::{FromGuest, encode};
use rustix::io::Errno;

/// Number of bytes after which no more output is queued; the rest stays in the rings.
const FULL: usize = 256 * 1024;
/// Number of bytes after which even answers are dropped. A reader that does not read must ask again.
const OVERFULL: usize = 4 * FULL;

/// The queue of outgoing frames; see the module.
#[derive(Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    written: usize,
}

impl Outbox {
    /// Whether output may be queued.
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

    /// Writes what the descriptor accepts. Returns false when nobody reads the other end: the queue is dropped, and a
    /// new reader requests the data again.
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
