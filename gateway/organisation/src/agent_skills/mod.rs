//! The skills that an agent has: those of its role in the template version that it was made from, with the agent's own
//! choices. An exclusion wins. This room joins `skills` and `templates`, so that neither knows the other's agents.
//!
//! Tables: none of its own. In the tree: nothing.

mod context;
mod dto;
mod effective;
mod routes;

pub use context::AgentSkillsContext;
pub use effective::effective;
pub use routes::router;
