//! Where a session was opened. People recognise their own sign-ins by address and browser.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for column in ["from_address", "device"] {
            manager
                .alter(
                    Table::alter()
                        .table("sessions")
                        .add_column(string_null(column))
                        .to_owned(),
                )
                .await?;
        }
        Ok(())
    }
}
