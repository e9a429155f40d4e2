//! Labels that people put on machines, to find them and to act on many at once: a JSON list of strings.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter(
                Table::alter()
                    .table("nodes")
                    .add_column(json_binary_null("labels"))
                    .to_owned(),
            )
            .await
    }
}
