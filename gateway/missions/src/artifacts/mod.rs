//! The artifacts of missions: what phases leave for people to read.
//!
//! Invariants: an artifact is `ready`, `pending` or `failed`; only a ready one has content. An artifact belongs to the attempt
//! of a phase that made it, and a later attempt does not change it. A PDF belongs to its mission, which has at most one of its
//! report and one of each Markdown artifact. Tables: `mission_artifacts`, `mission_pdfs`.

pub mod entity;
pub mod model;
pub mod pdfs;
mod store;

pub use entity::artifact::Model as ArtifactRow;
pub use model::{ArtifactKind, ArtifactStatus};
pub use store::{Brief, content, insert, of_mission, of_phase, texts};
