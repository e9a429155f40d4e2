//! Packages that an agent added to a lock file: what a door fetches, and what persons approved during a run.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // What is fetched: run, lock file, its hash, packages.
        let doors = Table::alter()
            .table("doors")
            .add_column(text_null("packages"))
            .to_owned();
        manager.alter(doors).await?;
        let supplies = Table::alter()
            .table("run_supplies")
            .add_column(text_null("added"))
            .to_owned();
        manager.alter(supplies).await
    }
}
