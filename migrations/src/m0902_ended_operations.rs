//! Retention deletes operations by the time of their end.

use sea_orm_migration::prelude::*;

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .index(
                Index::create()
                    .name("node_operations_by_end")
                    .table("node_operations")
                    .col("finished_at")
                    .to_owned(),
            )
            .await
    }
}
