//! Skills: how agents think and work, as Markdown that they are given or look up.
//!
//! Built-in ones come with Roost and belong to nobody; a workspace writes its own. Invariants: each change of a body is a
//! new version, and versions are never changed; a body is somebody's text and nothing more: it is bounded, cleaned, and
//! framed before a model sees it ([`prompt`]). **A workspace's own skill may have a built-in one's name; in that workspace
//! the name then means its own, everywhere that the name or the built-in one is bound, until it is deleted.** Whoever
//! makes such a skill has to say so (`in_place_of_builtin`), and the catalogue shows both with what became of them. A
//! built-in skill that a later release brings changes no name that a workspace uses already.
//!
//! What an agent has ([`effective()`]): the skills of its role in the version of the template that it was made from, with
//! the agent's own choices; an exclusion wins. Roles are bound by name when a version of a template is stored: foundation
//! skills first, then the role's; those and the first two of the role that are there are pinned into its context. A name
//! that means nothing, or a skill that was deleted, is skipped and logged.
//!
//! Tables: `skills`, `skill_versions`, `template_role_skills`, `agent_skill_overrides`. In the tree: nothing.

pub mod bindings;
pub mod builtin;
pub mod commands;
pub mod dto;
mod effective;
pub mod entity;
mod error;
mod load;
pub mod model;
pub mod prompt;
pub mod routes;
#[cfg(test)]
pub(crate) mod rubric;
pub mod store;
pub mod store_choices;

pub use effective::{effective, set_of};
pub use error::SkillError;
pub use load::load;
pub use model::{EffectiveSet, EffectiveSkill, Source};
