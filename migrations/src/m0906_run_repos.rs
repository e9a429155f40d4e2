//! Repositories of runs: which repository a run works on, where it is checked out, and which commits came back.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_run = |table: &'static str| {
            ForeignKey::create()
                .from(table, "run_id")
                .to("topology_runs", "id")
                .on_delete(ForeignKeyAction::Cascade)
                .to_owned()
        };
        let bound = Table::create()
            .table("run_repos")
            // The first run of the tree. Runs that it starts work on the same repository.
            .col(uuid("run_id").primary_key())
            .col(uuid("workspace_id"))
            // Without a foreign key: the run stays when the repository goes.
            .col(uuid("repo_id"))
            .col(text("full_name"))
            // A name below `refs/heads/`, or a whole commit id. Absent: the default branch.
            .col(text_null("base_ref"))
            // Known after the first checkout.
            .col(string_null("base_commit"))
            // What a fork begins at.
            .col(string_null("start_commit"))
            // The beginning of the names of its branches.
            .col(string("branch"))
            .col(timestamp_with_time_zone("created_at"))
            .col(big_integer("version"))
            .foreign_key(&mut of_run("run_repos"))
            .to_owned();
        manager.create(bound).await?;
        let checkouts = Table::create()
            .table("run_checkouts")
            .col(uuid("run_id"))
            .col(uuid("sandbox_id"))
            .col(uuid("workspace_id"))
            .col(uuid("agent_id"))
            .col(string("branch"))
            .col(text("path"))
            .col(string("commit_id"))
            .col(timestamp_with_time_zone("made_at"))
            .primary_key(Index::create().col("run_id").col("sandbox_id"))
            .foreign_key(&mut of_run("run_checkouts"))
            .to_owned();
        manager.create(checkouts).await?;
        let commits = Table::create()
            .table("run_commits")
            .col(uuid("run_id"))
            // The run of the tree that has the step, and the step as its keys write it.
            .col(uuid("step_run_id"))
            .col(string("step"))
            .col(uuid("workspace_id"))
            .col(uuid("agent_id"))
            .col(string("branch"))
            // Absent when nothing was received.
            .col(string_null("head"))
            .col(big_integer("commits"))
            .col(big_integer("files"))
            // The newest commits and the changed files, for people.
            .col(text("shown"))
            // Changed files of the checkout that are in no commit.
            .col(big_integer("uncommitted"))
            // Why the commits were not received.
            .col(text_null("refused"))
            .col(timestamp_with_time_zone("at"))
            .col(timestamp_with_time_zone_null("pushed_at"))
            .primary_key(Index::create().col("run_id").col("step_run_id").col("step"))
            .foreign_key(&mut of_run("run_commits"))
            .to_owned();
        manager.create(commits).await
    }
}
