//! The daemon's state folder: the machine's identity, the owner's policy and the pause.
//!
//! Every file has mode 0600 in a folder with mode 0700. A write goes to a temporary name, is synced and then renamed.

pub mod folder;
pub mod identity;
pub mod lock;
pub mod owner_file;

pub use folder::StateFolder;
pub use identity::{Identity, Token};
