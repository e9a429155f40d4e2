//! Supplies: which packages the lock files of a run's commit brought into its sandboxes.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let supplies = Table::create()
            .table("run_supplies")
            .col(uuid("run_id"))
            // The lock file in the repository.
            .col(string("path"))
            .col(uuid("workspace_id"))
            .col(string("kind"))
            .col(string("state"))
            .col(big_integer("wanted"))
            .col(big_integer("fetched"))
            .col(big_integer("stored"))
            .col(big_integer("bytes"))
            // The first entries that are left out, for people.
            .col(text("left_out"))
            .col(big_integer("left_out_count"))
            .col(text_null("why"))
            .col(timestamp_with_time_zone("at"))
            .primary_key(Index::create().col("run_id").col("path"))
            .foreign_key(
                ForeignKey::create()
                    .from("run_supplies", "run_id")
                    .to("topology_runs", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(supplies).await
    }
}
