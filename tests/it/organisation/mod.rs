//! Organisation: skills, templates, teams.

mod image_choice;
mod image_lacks;
mod skills;
mod teams;
mod templates;
