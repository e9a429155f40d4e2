//! What people and machines do to the fleet, one use case a file.

mod describe;
mod drain;
mod join;
mod pair;
mod remove;
mod verify;

pub use describe::describe;
pub use drain::set_draining;
pub use join::join;
pub use pair::{Pairing, pair};
pub use remove::{leave, remove, remove_all};
pub use verify::verify;
