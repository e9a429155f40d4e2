//! What the host needs for a snapshot of the workspace: the list of its entries, and the content of chosen files.
mod left_out;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub use list::list;
pub use read::read;
