//! Whether what a routine started waits for an approval.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("routine_firings")
            .add_column(boolean("at_door").default(false))
            .to_owned();
        manager.alter(add).await
    }
}
