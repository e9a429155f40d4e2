//! The address to which a door's request would go, stored with the request: a person's approval is bound to it.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("doors")
            .add_column(text("address").default(""))
            .to_owned();
        manager.alter(add).await
    }
}
