//! Steps that wait for a machine: since when the machine has been away.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("run_steps")
            .add_column(big_integer_null("away_since_ms"))
            .to_owned();
        manager.alter(add).await
    }
}
