//! Team templates: rosters of roles, each with its prompt, its skills and what its brain begins with, and the topology,
//! profile and tools that a team made from them has by default.
//!
//! Built-in ones come with Roost and belong to nobody; their ids are the same everywhere, loading them is idempotent, and
//! a change of their content has another number (a test keeps the list). A workspace makes its own, from nothing or from
//! a copy. Invariants: every version stays whole and readable, so that it is known what agents were made from and what an
//! upgrade would change; a link says which version and role an agent was made from, and only an upgrade moves it; an
//! upgrade never overwrites a prompt that somebody changed, and never touches a brain.
//!
//! Tables: `team_templates`, `team_template_roles`, `team_template_versions`, `agent_template_links`; roles are bound to
//! skills in the same transaction (`skills::bindings`). In the tree: nothing.

pub mod builtin;
mod check;
pub mod commands;
pub mod dto;
pub mod entity;
mod error;
pub mod link;
mod load;
pub mod model;
pub mod routes;
pub mod store;
pub mod store_links;
mod versions;

pub use error::TemplateError;
pub use load::load;
pub use store::Template;
