//! Browser sessions of people whose identity an issuer confirms: which sessions are theirs, where the broker keeps the
//! tokens of their last sign-in, and when the issuer was queried and answered.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for column in [
            string_null("issuer_grant"),
            timestamp_with_time_zone_null("issuer_asked_at"),
            timestamp_with_time_zone_null("issuer_answered_at"),
        ] {
            manager
                .alter(Table::alter().table("users").add_column(column).to_owned())
                .await?;
        }
        for table in ["sessions", "login_codes"] {
            let mut change = Table::alter();
            change.table(table);
            change.add_column(boolean("by_issuer").default(false));
            manager.alter(change).await?;
        }
        Ok(())
    }
}
