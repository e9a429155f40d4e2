//! The daemon's state folder: who this machine is, what its owner allows, whether it is paused.
//!
//! Every file is made with mode 0600 in a folder with mode 0700, written whole under another name, synced and renamed.

pub mod folder;
pub mod identity;
pub mod lock;
pub mod owner_file;

pub use folder::StateFolder;
pub use identity::{Identity, Token};
