//! The organisation of agents: skills, the templates of agents and teams, the skills of each agent, and the teams.

pub mod agent_skills;
pub mod skills;
mod tables;
pub mod teams;
pub mod templates;

pub use tables::tables;
