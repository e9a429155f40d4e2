//! The commands on missions, one use case a file.

mod create;
mod launch;
mod pdf;
mod phase;
mod set_status;
mod trial;

pub use create::{create, create_in, templates_are_there};
pub use launch::{Launch, launch_in};
pub use pdf::request_pdf;
pub use phase::{retry, skip};
pub use set_status::set_status;
pub use trial::plan_launch;
