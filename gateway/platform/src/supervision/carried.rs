//! A message with the span of its sender, so that a trace shows an actor's work below the request that caused it.
//! ractor can carry the span itself, but it reserves room for it in each of a mailbox's 32 slots, also while the mailbox
//! is empty: 1.2 KB for each actor. Here the span is on the heap with its message.

use tracing::Span;

/// What goes through a mailbox.
pub(super) struct Carried<M> {
    pub(super) message: M,
    /// The sender's span. It may be disabled.
    pub(super) sender: Span,
}

impl<M> Carried<M> {
    pub(super) fn new(message: M) -> Self {
        Self {
            message,
            sender: Span::current(),
        }
    }
}
