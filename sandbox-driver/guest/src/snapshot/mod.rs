//! What the host needs for a snapshot of the workspace: the list of its entries, the content of chosen files, and all of
//! it written into a new one.
mod held;
mod left_out;
mod list;
mod read;
mod restore;
#[cfg(test)]
mod tests;

pub use held::Held;
pub use list::list;
pub use read::read;
pub use restore::restore;
