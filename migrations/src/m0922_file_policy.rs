//! Whether the machines of a workspace send the files of its sandboxes to the gateway.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let workspaces = Table::alter()
            .table("workspaces")
            .add_column(text("file_policy").default("upload"))
            .to_owned();
        manager.alter(workspaces).await
    }
}
