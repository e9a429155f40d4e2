//! Team templates: lists of roles, each with its prompt, its skills and its brain's seed. A template also has the
//! default topology, profile and tools of the teams that are made from it.
//!
//! Built-in templates come with Roost and belong to no workspace. Their ids are the same everywhere, loading them is
//! idempotent, and a change of their content has a new number (a test keeps the list). A workspace creates its own
//! templates, from nothing or from a copy. Invariants: every version stays complete and readable, so the source of
//! each agent and the effect of an upgrade are known. A link records the version and the role that an agent was made
//! from, and only an upgrade changes it. An upgrade never overwrites a prompt that a person changed, and never
//! changes a brain.
//!
//! Tables: `team_templates`, `team_template_roles`, `team_template_versions`, `agent_template_links`. Roles are bound
//! to skills in the same transaction (`skills::bindings`). In the tree: nothing.

pub mod builtin;
mod check;
mod commands;
mod context;
mod dto;
pub mod entity;
mod error;
mod image;
pub mod link;
mod load;
pub mod model;
mod routes;
mod store;
pub mod store_links;
mod versions;

pub use context::TemplatesContext;
pub use error::TemplateError;
pub use load::load;
pub use model::Content;
pub use routes::router;
pub use store::{Template, get as find, name_of_deleted, names, remove_all, version};
pub use store_links::remove_of as remove_link_of;
