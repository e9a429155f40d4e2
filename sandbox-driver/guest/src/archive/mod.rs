//! The workspace as a tar stream, out and in, so that an image needs no tar and no file name is ever a way out.
mod pack;
mod unpack;

pub use pack::pack;
pub use unpack::unpack;
