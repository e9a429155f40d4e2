//! The commands of checkouts, one use case in each file.

mod bind;
mod check_out;

pub use bind::{Prepared, bind, fork, prepare};
pub use check_out::{Checkout, StepPlace, checkout};
