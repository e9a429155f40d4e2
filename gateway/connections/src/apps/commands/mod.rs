//! The commands that change connections.

mod connect;
mod disconnect;
mod end_sign_in;
mod paste;
mod start;

pub use disconnect::disconnect;
pub use end_sign_in::{Returned, decline, end_sign_in};
pub use paste::paste;
pub use start::start;
