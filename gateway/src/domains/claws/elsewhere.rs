//! What other domains know about agents, asked for when an agent is shown.

pub use crate::domains::sandboxes::sandboxes_of;
