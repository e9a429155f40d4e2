//! Doors that a call of a run requests: the run, the step, the call and the words that led to it. And when the gateway
//! began to send the request: a gateway that stops before that has sent nothing.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for column in [
            uuid_null("run_id"),
            string_null("step"),
            integer_null("call"),
            text_null("words"),
            timestamp_with_time_zone_null("sending_at"),
        ] {
            let add = Table::alter().table("doors").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        for sql in [
            // A gateway of the earlier version may have sent what it had begun.
            "UPDATE doors SET sending_at = begun_at WHERE state = 'performing'",
            "CREATE INDEX doors_of_run ON doors (run_id) WHERE run_id IS NOT NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
