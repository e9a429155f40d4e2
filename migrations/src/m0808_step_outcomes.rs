//! The outcome of a step that was a run of its own.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("run_steps")
            .add_column(string_null("outcome"))
            .to_owned();
        manager.alter(add).await
    }
}
