//! What changes connections.

mod disconnect;
mod end_sign_in;
mod start;

pub use disconnect::disconnect;
pub use end_sign_in::{Returned, decline, end_sign_in};
pub use start::start;
