//! Organisation: skills, templates, teams.

mod skills;
mod teams;
mod templates;
