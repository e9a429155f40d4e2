//! The checks of a step: the commands that its work had to pass, with their exit codes.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("run_steps")
            .add_column(text_null("checks"))
            .to_owned();
        manager.alter(add).await
    }
}
