//! Doors: actions outside that agents request, who decided, and the result. The agent's name is stored for the history.

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
                    .table("doors")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("agent_id"))
                    .col(string("agent_name"))
                    .col(string("action"))
                    .col(string("target"))
                    .col(string("summary"))
                    .col(json("params"))
                    .col(string("state"))
                    .col(uuid("requested_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .col(uuid_null("decided_by"))
                    .col(timestamp_with_time_zone_null("decided_at"))
                    .col(timestamp_with_time_zone_null("begun_at"))
                    .col(timestamp_with_time_zone_null("ended_at"))
                    .col(integer_null("result_status"))
                    .col(string_null("result_url"))
                    .col(string_null("result_message"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("doors", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE INDEX doors_by_workspace ON doors (workspace_id, id)",
            "CREATE INDEX doors_open ON doors (state, expires_at) WHERE state IN ('pending', 'approved', 'performing')",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
