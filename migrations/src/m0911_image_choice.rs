//! The image and the other needs of a template, and the image and limits that a team or an agent chooses.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column in one statement.
        for (table, column) in [
            // A name of the catalogue.
            ("team_templates", text_null("image")),
            // A JSON list of values of `Need`.
            ("team_templates", text("needs").default("[]").take()),
            ("teams", text_null("image")),
            // A `NewLimits` as JSON.
            ("teams", text_null("limits")),
            ("runtime_agents", text_null("image")),
            ("runtime_agents", text_null("limits")),
        ] {
            let add = Table::alter().table(table).add_column(column).to_owned();
            manager.alter(add).await?;
        }
        Ok(())
    }
}
