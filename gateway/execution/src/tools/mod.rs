//! Tools of agents: what a profile and its bundles offer, and the one place that executes calls.
//!
//! Invariants: the gate is `model::offered`, and a tool outside its list never reaches a sandbox. No tool takes a
//! URL, a method or a header, in any profile. Each action in a sandbox is an operation whose id comes from the call's
//! effect key, so a call that is repeated after a crash gets the recorded result (promise P2). A path is an argument,
//! never a part of a shell's text. `mcp` serves the tools to agents' programs, with one token for each agent
//! (`tokens`, table `agent_tokens`). No actors: tools have no state.

mod authority;
pub mod catalogue;
mod context;
mod door;
mod error;
mod input;
mod loopback;
pub mod mcp;
pub mod model;
mod output;
mod repo;
mod routes;
mod sandbox;
mod sandbox_command;
mod script;
pub mod tokens;
mod toolbox;

pub use authority::{Authority, AuthorityOf};
pub use catalogue::{ASK, SHELL};
pub use context::ToolsContext;
pub use error::{Class, ToolError};
pub use model::{
    Bundle, Capability, EffectKey, Grant, Pane, Profile, ToolResult, ToolSpec, effective, offered,
};
pub use output::Frame;
pub use roost_connections::doors::Place as CallPlace;
pub use routes::router;
pub use script::{SCRIPT_BYTES, Script, ScriptEnd};
pub use toolbox::{EffectiveSkills, SkillText, SkillTexts, Toolbox};
