//! Tokens with which programs of an agent call its tools. Only their hash is stored.

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
                    .table("agent_tokens")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("agent_id"))
                    .col(string("label"))
                    .col(string("token_sha256").unique_key())
                    .col(uuid("created_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .col(timestamp_with_time_zone_null("last_used_at"))
                    .col(timestamp_with_time_zone_null("revoked_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_tokens", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_tokens", "agent_id")
                            .to("claws", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .run_sql(
                "CREATE INDEX agent_tokens_of_agent ON agent_tokens (workspace_id, agent_id, id)",
            )
            .await?;
        Ok(())
    }
}
