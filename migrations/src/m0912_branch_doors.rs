//! Doors that send a branch of a run's repository, the pull request of a branch, and whether a workspace's agents may push
//! without a decision.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // What is sent: run, repository, branch, commit.
        let doors = Table::alter()
            .table("doors")
            .add_column(text_null("branch"))
            .to_owned();
        manager.alter(doors).await?;
        let commits = Table::alter()
            .table("run_commits")
            .add_column(text_null("pull_url"))
            .to_owned();
        manager.alter(commits).await?;
        let workspaces = Table::alter()
            .table("workspaces")
            .add_column(text("push_policy").default("ask"))
            .to_owned();
        manager.alter(workspaces).await
    }
}
