//! The commands that change doors.

mod ask;
mod resolve;

pub use ask::{Asked, Place, ask};
pub use resolve::resolve;
