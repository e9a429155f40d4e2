//! The commands that change doors.

mod ask;
mod resolve;

pub use ask::ask;
pub use resolve::resolve;
