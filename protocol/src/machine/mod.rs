//! The channel's decisions as pure state machines: no I/O, no clock except milliseconds passed in, no randomness.
//!
//! A machine takes an input and returns effects as data. The gateway, the daemon and the driver carry them out and may
//! be killed between any two. The seeded simulation in `tests/simulation` runs both ends with these machines over a
//! faulty network and checks the promises after every step.
//!
//! | file | end | promise |
//! |---|---|---|
//! | [`operation`] | gateway | P1: an accepted operation ends once |
//! | [`ledger`], [`admission`] | node | P2: an id starts at most once |
//! | [`output`] | both | P3: output replays from an offset, gaps are marked |
//! | [`stdin`] | both | a retry by offset is safe |
//! | [`session`], [`handshake`] | both | P6: an older epoch neither receives nor reports |
//! | [`contact`] | gateway | connected, suspect, disconnected |
//! | [`drain`] | both | P7: nothing new after the ack; drained when the node says empty |
//! | [`lease`] | node | P8: silence shorter than the lease destroys nothing |
//!
//! Times are milliseconds of one monotonic clock. A time before an earlier one counts as the same time.

pub mod admission;
pub mod contact;
pub mod drain;
pub mod handshake;
pub mod lease;
pub mod ledger;
pub mod operation;
pub mod output;
pub mod session;
pub mod stdin;
