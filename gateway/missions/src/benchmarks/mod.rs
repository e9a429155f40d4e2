//! Benchmarks of a mission: what a benchmark command measured before and after the work, and what follows from it.
//! All of it is pure; the phase's executor runs the commands and keeps the snapshots.
mod compare;
mod markdown;
mod rank_sum;
mod readers;
mod sample;
mod snapshot;
mod unit;

pub use compare::{Comparison, Row, Rules, Side, Verdict, compare, iterations_needed};
pub use markdown::markdown;
pub use rank_sum::p_value;
pub use readers::{MOST_BYTES, NamedFile, read};
pub use sample::{MOST_NAMES, MOST_VALUES, ReadError, Reading, Sample};
pub use snapshot::{Metrics, Snapshot};
pub use unit::{Better, Unit};
