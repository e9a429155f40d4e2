//! Tools of agents: what a profile and its bundles offer, and the one place where a call of one is carried out.
//!
//! Invariants: the gate is `model::offered`, and a tool that it does not list never reaches a sandbox; no tool takes a
//! URL, a method or a header, whatever the profile; each thing that is done in a sandbox is an operation whose id comes
//! from the call's effect key, so a call that is repeated after a crash gets the recorded result (promise P2); a path is
//! an argument, never a part of a shell's text. `mcp` serves them to programs of agents, by a token an agent (`tokens`,
//! table `agent_tokens`). No actors: a tool keeps nothing.

mod authority;
pub mod catalogue;
mod error;
mod input;
mod inside;
pub mod mcp;
pub mod model;
mod output;
mod repo;
pub mod routes;
mod sandbox;
pub mod tokens;
mod toolbox;

pub use authority::{Authority, AuthorityOf};
pub use error::{Class, ToolError};
pub use model::{Bundle, Capability, EffectKey, Pane, Profile, ToolResult, ToolSpec, offered};
pub use output::Frame;
pub use toolbox::{EffectiveSkills, SkillText, Toolbox};
