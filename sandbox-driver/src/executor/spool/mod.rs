//! Output of operations on disk, so that it can be sent again from any byte until its retention (promise P3).
//!
//! One file an operation, made with its first byte. [`record`] is the form on disk (pure), [`mod@file`] one operation's
//! spool, [`folder`] all of them and what they may take together.

pub mod file;
pub mod folder;
pub mod record;

pub use file::Spool;
pub use folder::SpoolFolder;
