//! Checkouts whose packages did not all arrive: the next step in the sandbox tries again.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("run_checkouts")
            .add_column(boolean("supply_again").default(false))
            .to_owned();
        manager.alter(add).await
    }
}
