//! Whether commits of a workspace's agents may change the workflow files of code hosts.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let workspaces = Table::alter()
            .table("workspaces")
            .add_column(text("workflow_policy").default("refuse"))
            .to_owned();
        manager.alter(workspaces).await
    }
}
