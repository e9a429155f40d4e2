//! The window of a model, where a person sets it.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("models")
            .add_column(big_integer_null("context_tokens"))
            .to_owned();
        manager.alter(add).await
    }
}
