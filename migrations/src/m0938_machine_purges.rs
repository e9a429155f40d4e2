//! The wishes that machines delete the files of removed owners. They have no foreign key: they outlive the workspace.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let purges = Table::create()
            .table("machine_purges")
            .col(string("node_id"))
            .col(uuid("owner_id"))
            .col(string("owner_kind"))
            .col(uuid("workspace_id"))
            .col(json_binary("archives"))
            .col(timestamp_with_time_zone("asked_at"))
            .col(timestamp_with_time_zone("told_at"))
            .primary_key(Index::create().col("node_id").col("owner_id"))
            .to_owned();
        manager.create(purges).await
    }
}
