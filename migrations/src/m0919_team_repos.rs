//! The repository that a team's runs work on when a run names none.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Without a foreign key: a person who removes a repository must see which teams worked on it.
        // SQLite adds one column in one statement.
        for column in [uuid_null("repo_id"), text_null("repo_base")] {
            let add = Table::alter().table("teams").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        Ok(())
    }
}
