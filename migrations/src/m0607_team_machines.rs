//! The machine of a team's sandboxes.

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
                    .table("teams")
                    // `local`, or a node's id; null: the workspace's placement.
                    .add_column(text_null("machine_id"))
                    .to_owned(),
            )
            .await
    }
}
