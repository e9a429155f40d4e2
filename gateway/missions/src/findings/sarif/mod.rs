//! SARIF 2.1.0: the reports of other tools in, and the findings of a mission out.
mod format;
mod read;
mod write;

pub(super) use read::read;
pub use write::write;

#[cfg(test)]
mod tests;
