//! The commands on missions, one use case a file.

mod create;
mod launch;
mod phase;
mod set_status;

pub use create::create;
pub use launch::{Launch, plan_launch};
pub use phase::{retry, skip};
pub use set_status::set_status;
