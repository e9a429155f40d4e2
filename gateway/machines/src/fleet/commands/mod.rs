//! The commands of people and machines on the fleet, one use case in each file.

mod describe;
mod drain;
mod emptied;
mod join;
mod pair;
mod remove;
mod verify;

pub use describe::describe;
pub use drain::set_draining;
pub use emptied::set_emptied;
pub use join::join;
pub use pair::pair;
pub use remove::{leave, remove, remove_all, remove_unjoined};
pub use verify::verify;
