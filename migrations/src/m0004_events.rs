//! The event log: one sequence per workspace, with its head beside it. The epoch changes when a backup is restored. A
//! cursor from before the restore is then told to reset, so it does not silently miss events.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create(
                Table::create()
                    .table("event_heads")
                    .col(uuid("workspace_id").primary_key())
                    .col(big_integer("epoch"))
                    .col(big_integer("seq"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("event_heads", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("events")
                    .col(uuid("workspace_id"))
                    .col(big_integer("epoch"))
                    .col(big_integer("seq"))
                    .col(string("kind"))
                    .col(uuid_null("agent_id"))
                    .col(uuid_null("run_id"))
                    .col(uuid_null("mission_id"))
                    .col(text("data"))
                    .col(timestamp_with_time_zone("at"))
                    .primary_key(Index::create().col("workspace_id").col("epoch").col("seq"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("events", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await
    }
}
