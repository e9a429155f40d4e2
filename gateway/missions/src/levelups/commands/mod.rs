//! The commands on proposals, one use case a file.

mod apply;
mod effects;
mod propose;
mod reject;

pub use apply::apply;
pub use propose::propose;
pub use reject::reject;
