//! The framed protocol with a sandbox's first process, over the container's attached stdin and stdout.
//!
//! An attached stream can begin in the middle of a frame (a daemon that died attaches again) and a dead writer can leave
//! half a frame behind, so frames carry a magic number and a checksum and a reader can find the next one: see [`wire`].
//! Output is pulled by credit, so the guest never blocks on a reader that is gone.

pub mod message;
pub mod wire;

pub use message::{ExitCause, FromGuest, Process, ToGuest};
pub use wire::{FrameReader, WireError, checksum, encode};

/// Output that the guest holds for one operation, bytes; a program that fills it blocks until something is acknowledged.
pub const OUTPUT_RING: usize = 1024 * 1024;
/// Bytes of stdin that may be sent beyond the last `StdinTaken`; what comes beyond that is refused.
pub const STDIN_WINDOW: u64 = 256 * 1024;
