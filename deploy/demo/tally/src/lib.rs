//! The words of a text, and how often each occurs.

mod count;
mod words;

pub use count::top;
pub use words::words;
