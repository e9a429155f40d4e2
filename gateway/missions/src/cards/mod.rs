//! Summary cards: one for each phase that ended, and again after a retry.
//!
//! Invariants: a card is written in the transaction that ends its phase. Its metrics, sources and tooling are computed from
//! facts, never by a model. A model may write the narrative later (`narratives`), and the card names it. Table: `mission_phase_cards`.

pub mod entity;
pub mod model;
mod store;

pub use entity::card::Model as CardRow;
pub use model::{Card, Counted, Facts, Metrics, ToolUse, card};
pub use store::{claim, costs, due, get, of_mission, put, settle, spent_since};
