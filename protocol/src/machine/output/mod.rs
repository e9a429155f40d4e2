//! Output by offset, with credit. Promise P3: output can be replayed from an offset; a gap is always marked.
//!
//! ```text
//!  offsets   0 ────────── kept_from ─────────── next ──────────── end ······ cap
//!  sender      gone (gap)          kept, sent         kept, unsent     counted and dropped beyond the cap
//!                                              credit: may send up to here
//!  receiver  consumed ───────────────────────── next ── granted
//! ```
//!
//! Each operation has one numbered sequence. Credit is an absolute offset, so a repeated or late grant is harmless, and
//! a slow reader delays only its own stream. After a reconnect the sender waits for `replay {from}`. The receiver sends
//! it when its reader has room for the first credit beyond it, so it never holds more than its window. A node syncs the
//! output before it writes the end to its ledger; output that a power cut loses anyway is sent as a gap.
//!
//! The end and the output travel separately. The end may be known long before the output is here (it ended while nobody
//! was connected), so only [`Receiver::is_complete`] proves that nothing more comes.

mod receiver;
mod sender;

pub use receiver::{Grant, OutputFault, Receiver, Taken};
pub use sender::Sender;

/// What to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Bytes `offset..offset + most`, or fewer when the stream's name changes in between.
    Data { offset: u64, most: u64 },
    /// Bytes that are no longer available.
    Gap { from: u64, to: u64 },
}
