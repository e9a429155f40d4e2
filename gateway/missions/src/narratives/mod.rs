//! The narratives of summary cards, written by a model where the operator named one (`summarizer_model`).
//!
//! Invariants: the figures, sources and next actions of a card are never the model's. A card has the gateway's own narrative
//! until the model has written one, and names the model afterwards. A card is claimed before a model is asked, so two gateways
//! ask once. A question whose gateway died is asked again after the claim. Table: `mission_phase_cards` (`cards`).

mod ask;
mod context;
mod prompt;
mod worker;

pub use context::NarrativesContext;
pub use worker::child;
