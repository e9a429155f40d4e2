//! Machines: the fleet and its operations, and sandboxes on a real engine.

mod audited_commands;
mod command_log;
mod fleet;
mod hardening;
mod image_choice;
mod purged;
mod sandbox_limits;
mod sandbox_races;
mod sandboxes;
mod snapshots;
mod stored_workspaces;
mod team_sandboxes;
