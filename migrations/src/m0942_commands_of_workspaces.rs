//! An index for the list of all commands in the sandboxes of a workspace.

use sea_orm_migration::prelude::*;

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.run_sql(BY_WORKSPACE).await?;
        Ok(())
    }
}

const BY_WORKSPACE: &str = "CREATE INDEX node_operations_commands_of_workspace ON node_operations (workspace_id, created_at, id) \
     WHERE owner_kind IS NOT NULL";
