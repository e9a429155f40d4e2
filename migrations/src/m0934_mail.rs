//! The queue of mails, and what people want of mail: a new address that they have to confirm, and notices.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mails = Table::create()
            .table("mails")
            .col(uuid("id").primary_key())
            .col(string("about").unique_key())
            .col(text("recipient"))
            .col(text("subject"))
            .col(text("text"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("due_at"))
            .col(integer("attempts"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .col(text_null("error"))
            .to_owned();
        manager.create(mails).await?;
        // The worker looks for due mails every few seconds, and few are due.
        manager
            .run_sql("CREATE INDEX mails_due ON mails (due_at) WHERE ended_at IS NULL")
            .await?;
        // SQLite adds one column in a statement.
        for column in [
            timestamp_with_time_zone_null("mail_notices_at"),
            string_null("pending_email"),
            string_null("pending_sha256"),
            timestamp_with_time_zone_null("pending_until"),
        ] {
            let add = Table::alter().table("users").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        manager.run_sql(
            "CREATE INDEX users_pending ON users (pending_sha256) WHERE pending_sha256 IS NOT NULL",
        )
        .await?;
        manager
            .run_sql("CREATE INDEX users_noticed ON users (id) WHERE mail_notices_at IS NOT NULL")
            .await?;
        Ok(())
    }
}
