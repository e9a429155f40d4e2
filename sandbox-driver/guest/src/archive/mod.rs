//! The workspace as a tar stream, out and in. The image needs no tar program, and no file name can leave the workspace.
mod pack;
mod unpack;

pub use pack::pack;
pub use unpack::unpack;
