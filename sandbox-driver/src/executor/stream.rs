//! The sending side of one output stream: where it stands and how far it may go (promise P3). Pure.
//!
//! Credit is an offset, not an amount, so a repeated or reordered frame does no harm. After a reconnect nothing is sent
//! until the gateway says from where.
use roost_protocol::limits::INITIAL_CREDIT_BYTES;

/// A stream towards the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    sent: u64,
    up_to: u64,
    /// Whether this session knows where to begin.
    armed: bool,
}

impl Sending {
    /// A stream that begins with its operation, in the session that asked for it.
    pub fn from_start() -> Self {
        Self {
            sent: 0,
            up_to: INITIAL_CREDIT_BYTES,
            armed: true,
        }
    }

    /// A stream that another session or another life of the daemon began.
    pub fn waiting() -> Self {
        Self {
            sent: 0,
            up_to: 0,
            armed: false,
        }
    }

    /// Output may be sent up to this offset.
    pub fn credit(&mut self, up_to: u64) {
        if self.armed {
            self.up_to = self.up_to.max(up_to);
        }
    }

    /// Send again from this offset; credit counts from there.
    pub fn replay(&mut self, from: u64) {
        *self = Self {
            sent: from,
            up_to: from.saturating_add(INITIAL_CREDIT_BYTES),
            armed: true,
        };
    }

    /// Bytes up to this offset were handed to the session.
    pub fn sent_to(&mut self, offset: u64) {
        self.sent = self.sent.max(offset);
    }

    /// What may be sent now of a stream that ends at `end`: from where, and how many bytes.
    pub fn next(&self, end: u64) -> Option<(u64, u64)> {
        let most = self.up_to.min(end).saturating_sub(self.sent);
        (self.armed && most > 0).then_some((self.sent, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_goes_beyond_credit_and_credit_never_shrinks() {
        let mut stream = Sending::from_start();
        assert_eq!(stream.next(10), Some((0, 10)));
        assert_eq!(stream.next(u64::MAX), Some((0, INITIAL_CREDIT_BYTES)));
        stream.sent_to(INITIAL_CREDIT_BYTES);
        assert_eq!(stream.next(u64::MAX), None);
        stream.credit(INITIAL_CREDIT_BYTES + 5);
        stream.credit(3);
        assert_eq!(stream.next(u64::MAX), Some((INITIAL_CREDIT_BYTES, 5)));
    }

    #[test]
    fn after_a_reconnect_nothing_is_sent_until_a_replay() {
        let mut stream = Sending::waiting();
        stream.credit(1000);
        assert_eq!(stream.next(500), None);
        stream.replay(100);
        assert_eq!(stream.next(500), Some((100, 400)));
        stream.sent_to(500);
        stream.replay(200);
        assert_eq!(stream.next(500), Some((200, 300)));
    }
}
