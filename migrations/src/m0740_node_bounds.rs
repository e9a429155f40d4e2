//! The limits of a machine for sandboxes, and the image that its state describes, from its last report.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for column in [
            json_binary_null("bounds"),
            text_null("image_reference"),
            text_null("image_id"),
            text_null("image_detail"),
        ] {
            let add = Table::alter().table("nodes").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        Ok(())
    }
}
