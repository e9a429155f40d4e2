//! The numbered history of the schema, with literal names. This crate depends on no other crate of the project. A
//! released migration never changes: a correction is the next number. Each step is a file `m<number>_<what>.rs`, listed
//! in [`Migrator`].
//!
//! Names are literal on purpose: renaming a Rust type must not rewrite history.

use sea_orm_migration::prelude::*;

/// Runs a history. Re-exported so that other crates do not need the crate behind it.
pub use sea_orm_migration::MigratorTrait;

mod m0001_identity;
mod m0002_audit;
mod m0003_claws;
mod m0004_events;
mod m0005_leases_and_sagas;
mod m0006_idempotency;
mod m0101_fleet;
mod m0102_operations;
mod m0103_session_origins;
mod m0104_invitations;
mod m0201_sandboxes;
mod m0301_audit_chain;
mod m0302_brains_and_avatars;
mod m0401_node_history;
mod m0402_node_labels;
mod m0403_agent_activity;
mod m0501_app_connections;
mod m0502_hosted_identity;
mod m0503_repositories;
mod m0504_mesh_networks;
mod m0505_doors;
mod m0506_repo_mirrors;
mod m0507_door_addresses;
mod m0601_runs;
mod m0602_skills;
mod m0603_templates;
mod m0604_models;
mod m0605_agent_tokens;
mod m0606_teams;
mod m0607_team_machines;
mod m0608_runs_in_place;
mod m0609_run_trees;
mod m0610_waiting_steps;
mod m0701_vouched_addresses;
mod m0702_agent_names;
mod m0703_issuer_sessions;
mod m0704_known_devices;
mod m0740_node_bounds;
mod m0801_run_origin;
mod m0802_calls;
mod m0802_doors;
mod m0803_hot_rows;
mod m0804_event_retention;
mod m0806_agents_alone;
mod m0808_step_outcomes;
mod m0809_waits;
mod m0816_model_windows;
mod m0818_run_handovers;
mod m0819_step_checks;
mod m0901_node_record;
mod m0902_ended_operations;
mod m0904_images;
mod m0906_run_repos;
mod m0910_snapshots;
mod m0911_image_choice;
mod m0912_branch_doors;
mod m0914_step_files;
mod m0915_uploads;
mod m0916_supplies_again;
mod m0917_drain_moves;
mod m0918_run_supplies;
mod m0919_team_repos;
mod m0920_sandbox_owners;
mod m0921_added_packages;
mod m0922_file_policy;
mod m0923_run_messages;
mod m0924_commands;
mod m0925_missions;
mod m0926_level_ups;
mod m0927_routines;
mod m0928_mission_pdfs;
mod m0929_narratives;
mod m0930_model_use;
mod m0931_accounts;
mod m0932_token_scopes;
mod m0933_plan_limits;
mod m0934_mail;
mod m0935_step_stops;
mod m0936_run_limits;
mod m0937_workflow_policy;
mod m0938_machine_purges;
mod m0939_task_marks;
mod m0941_mission_runtimes;
mod m0942_commands_of_workspaces;
mod m0943_missions_of_routines;
mod m0944_routines_at_doors;
mod m0945_refused_sign_ins;
mod statements;

/// The whole history, oldest first.
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_identity::Migration),
            Box::new(m0002_audit::Migration),
            Box::new(m0003_claws::Migration),
            Box::new(m0004_events::Migration),
            Box::new(m0005_leases_and_sagas::Migration),
            Box::new(m0006_idempotency::Migration),
            Box::new(m0101_fleet::Migration),
            Box::new(m0102_operations::Migration),
            Box::new(m0103_session_origins::Migration),
            Box::new(m0104_invitations::Migration),
            Box::new(m0201_sandboxes::Migration),
            Box::new(m0301_audit_chain::Migration),
            Box::new(m0302_brains_and_avatars::Migration),
            Box::new(m0401_node_history::Migration),
            Box::new(m0402_node_labels::Migration),
            Box::new(m0403_agent_activity::Migration),
            Box::new(m0501_app_connections::Migration),
            Box::new(m0502_hosted_identity::Migration),
            Box::new(m0503_repositories::Migration),
            Box::new(m0504_mesh_networks::Migration),
            Box::new(m0505_doors::Migration),
            Box::new(m0506_repo_mirrors::Migration),
            Box::new(m0507_door_addresses::Migration),
            Box::new(m0601_runs::Migration),
            Box::new(m0602_skills::Migration),
            Box::new(m0603_templates::Migration),
            Box::new(m0604_models::Migration),
            Box::new(m0605_agent_tokens::Migration),
            Box::new(m0606_teams::Migration),
            Box::new(m0607_team_machines::Migration),
            Box::new(m0608_runs_in_place::Migration),
            Box::new(m0609_run_trees::Migration),
            Box::new(m0610_waiting_steps::Migration),
            Box::new(m0701_vouched_addresses::Migration),
            Box::new(m0702_agent_names::Migration),
            Box::new(m0703_issuer_sessions::Migration),
            Box::new(m0704_known_devices::Migration),
            Box::new(m0740_node_bounds::Migration),
            Box::new(m0801_run_origin::Migration),
            Box::new(m0802_calls::Migration),
            Box::new(m0802_doors::Migration),
            Box::new(m0803_hot_rows::Migration),
            Box::new(m0804_event_retention::Migration),
            Box::new(m0806_agents_alone::Migration),
            Box::new(m0808_step_outcomes::Migration),
            Box::new(m0809_waits::Migration),
            Box::new(m0816_model_windows::Migration),
            Box::new(m0818_run_handovers::Migration),
            Box::new(m0819_step_checks::Migration),
            Box::new(m0901_node_record::Migration),
            Box::new(m0902_ended_operations::Migration),
            Box::new(m0904_images::Migration),
            Box::new(m0906_run_repos::Migration),
            Box::new(m0910_snapshots::Migration),
            Box::new(m0911_image_choice::Migration),
            Box::new(m0912_branch_doors::Migration),
            Box::new(m0914_step_files::Migration),
            Box::new(m0915_uploads::Migration),
            Box::new(m0916_supplies_again::Migration),
            Box::new(m0917_drain_moves::Migration),
            Box::new(m0918_run_supplies::Migration),
            Box::new(m0919_team_repos::Migration),
            Box::new(m0920_sandbox_owners::Migration),
            Box::new(m0921_added_packages::Migration),
            Box::new(m0922_file_policy::Migration),
            Box::new(m0923_run_messages::Migration),
            Box::new(m0924_commands::Migration),
            Box::new(m0925_missions::Migration),
            Box::new(m0926_level_ups::Migration),
            Box::new(m0927_routines::Migration),
            Box::new(m0928_mission_pdfs::Migration),
            Box::new(m0929_narratives::Migration),
            Box::new(m0930_model_use::Migration),
            Box::new(m0931_accounts::Migration),
            Box::new(m0932_token_scopes::Migration),
            Box::new(m0933_plan_limits::Migration),
            Box::new(m0934_mail::Migration),
            Box::new(m0935_step_stops::Migration),
            Box::new(m0936_run_limits::Migration),
            Box::new(m0937_workflow_policy::Migration),
            Box::new(m0938_machine_purges::Migration),
            Box::new(m0939_task_marks::Migration),
            Box::new(m0941_mission_runtimes::Migration),
            Box::new(m0942_commands_of_workspaces::Migration),
            Box::new(m0943_missions_of_routines::Migration),
            Box::new(m0944_routines_at_doors::Migration),
            Box::new(m0945_refused_sign_ins::Migration),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A backup can be restored when its migrations are the first of this list, so a new migration goes to the end and
    /// has the highest number.
    #[test]
    fn migrations_are_ordered_by_number() {
        let names: Vec<String> = Migrator::migrations()
            .iter()
            .map(|migration| migration.name().to_owned())
            .collect();
        assert!(names.is_sorted(), "{names:?}");
    }
}
