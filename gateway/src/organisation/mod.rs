//! The organisation of agents: skills, the templates of agents and teams, and the teams themselves.

pub mod skills;
pub mod teams;
pub mod templates;
