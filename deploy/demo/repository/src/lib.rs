//! Durations as people write them.

mod format;
mod parse;

pub use format::format;
pub use parse::{parse, Mistake};

/// Seconds of each unit, the largest first.
pub(crate) const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];
