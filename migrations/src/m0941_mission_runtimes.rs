//! The state of a mission's runtime, and what people read about it.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ["runtime_state", "runtime_detail"] {
            let add = Table::alter()
                .table("missions")
                .add_column(text_null(column))
                .to_owned();
            manager.alter(add).await?;
        }
        Ok(())
    }
}
