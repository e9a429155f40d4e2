//! The framed protocol with a sandbox's first process, over the container's attached stdin and stdout.
//!
//! An attached stream can begin in the middle of a frame (a restarted daemon attaches again), and a dead writer can
//! leave an incomplete frame. So frames carry a magic number and a checksum, and a reader can find the next frame: see
//! [`wire`]. Output is sent only within credit, so the guest never blocks on a missing reader.

pub mod listing;
pub mod message;
pub mod restoring;
pub mod runtime;
pub mod wire;

pub use message::{ExitCause, FromGuest, Process, ToGuest};
pub use wire::{FrameReader, WireError, checksum, encode};

/// The guest's program in each image. It is the first process of a sandbox, and its subcommands are run there.
pub const PROGRAM: &str = "/usr/local/lib/roost/guest";
/// Output that the guest holds for one operation, bytes. A program that fills it blocks until output is acknowledged.
pub const OUTPUT_RING: usize = 1024 * 1024;
/// Bytes of stdin that may be sent beyond the last `StdinTaken`. The guest refuses more.
pub const STDIN_WINDOW: u64 = 256 * 1024;
