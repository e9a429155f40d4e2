//! The commands on runs, one use case a file.

mod again;
mod cancel;
mod compare;
mod compare_files;
mod enqueue;
mod fork;
mod pause;
mod say;
mod stop;

pub use again::begin_as;
pub use cancel::{cancel, cancel_of_agent};
pub use compare::compare;
pub use enqueue::{New, enqueue, insert, row, start_in, text_of};
pub use fork::fork;
pub use pause::{pause, resume};
pub use say::say;
pub use stop::stop;
