//! The tasks of missions: agents write markers in their answers, and the markers move tasks forward.
//!
//! Invariants:
//! * A marker is a line of its own, outside of code fences. Prose about a marker moves nothing.
//! * The status of a task only moves forward. Only the retry of its phase, which a person commands, sets it back.
//! * (phase, external id) is unique, and each write is an upsert on it. The same marker counts once.
//! * Markers are read from journals and outputs, which are complete, never from the parts of a live stream.
//!
//! Tables: `mission_tasks`, `mission_task_marks`. The mission's actor applies the markers.

mod apply;
pub mod entity;
pub mod model;
pub mod parser;
mod scan;
mod store;
mod window;

pub use apply::{Applied, apply};
pub use entity::mark::Model as MarkRow;
pub use entity::task::Model as TaskRow;
pub use model::{Marker, TaskStatus};
pub use scan::{Scan, scan};
pub use store::{carry, marker_counts, marks_of, of_mission, of_phase, reopen_failed};
pub use window::Window;
