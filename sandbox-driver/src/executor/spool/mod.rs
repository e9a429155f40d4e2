//! Output of operations on disk, so that it can be sent again from any byte until its retention ends (promise P3).
//!
//! One file per operation, made with its first byte. [`record`] is the format on disk (pure), [`mod@file`] the spool of
//! one operation, [`folder`] all spools, `room` their common limit (pure).

pub mod file;
pub mod folder;
pub mod record;
mod room;

pub use file::Spool;
pub use folder::{Known, SpoolFolder};
