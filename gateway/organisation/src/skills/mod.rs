//! Skills: Markdown texts about ways of working. Agents get them in their context or read them with a tool.
//!
//! Built-in skills come with Roost and belong to no workspace. A workspace writes its own. Invariants: each change of
//! a body is a new version, and versions never change. A body is untrusted text: it is limited in size, cleaned, and
//! framed before a model sees it ([`prompt`]). **A workspace's own skill may have the name of a built-in one. In that
//! workspace the name then means the own skill, everywhere that the name or the built-in skill is bound, until it is
//! deleted.** The creator of such a skill must confirm that (`in_place_of_builtin`), and the catalogue shows both
//! skills and how they relate. A built-in skill of a later release does not replace a name that a workspace already
//! uses.
//!
//! The skills of an agent (room `agent_skills`) are the skills of its role in the template version that it was made from,
//! with the agent's own choices. An exclusion wins. Roles are bound by name when a template version is stored:
//! foundation skills first, then the role's. The foundation skills and the role's first two existing skills are
//! pinned into the context. An unknown name or a deleted skill is skipped and logged.
//!
//! Tables: `skills`, `skill_versions`, `template_role_skills`, `agent_skill_overrides`. In the tree: nothing.

pub mod bindings;
pub mod builtin;
mod commands;
mod context;
mod dto;
mod effective;
pub mod entity;
mod error;
mod load;
pub mod model;
pub mod prompt;
mod routes;
#[cfg(test)]
pub(crate) mod rubric;
mod store;
mod store_choices;

pub use commands::{choose_in, create_in};
pub use context::SkillsContext;
pub use dto::NewSkill;
pub use effective::set_of;
pub use entity::role_skill::Model as RoleSkillRow;
pub use error::SkillError;
pub use load::load;
pub use model::{
    EffectiveSet, EffectiveSkill, NAME as NAME_CHARACTERS, Role, Source, Why, is_slug,
};
pub use routes::router;
pub use store::{Filter, get as find, ids_of, list, remove_all};
pub use store_choices::{
    of_agent as choices_of, of_version as bound_to_version, remove_bindings,
    remove_of as remove_choices_of,
};
