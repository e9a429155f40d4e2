//! Sandboxes: the registry of agents' containers and the placement setting of a workspace.

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
                    .table("agent_containers")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("agent_id"))
                    .col(string("node_id").default("local"))
                    .col(string_null("container"))
                    .col(big_integer("epoch"))
                    .col(string("state"))
                    .col(uuid_null("operation_id"))
                    .col(string("image"))
                    .col(json_binary("limits"))
                    .col(json_binary_null("fallback"))
                    .col(text_null("detail"))
                    .col(json_binary_null("archive"))
                    .col(json_binary_null("hardening"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("last_used_at"))
                    .col(timestamp_with_time_zone_null("ended_at"))
                    .col(big_integer("version").default(1))
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_containers", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_containers", "agent_id")
                            .to("claws", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("agent_containers_by_node")
                    .table("agent_containers")
                    .col("node_id")
                    .col("state")
                    .to_owned(),
            )
            .await?;
        // An agent has at most one live sandbox: two concurrent requests cannot make two containers.
        manager
            .run_sql(
                "CREATE UNIQUE INDEX agent_containers_one_live ON agent_containers (agent_id) \
                 WHERE state IN ('provisioning', 'running', 'destroying')",
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("agent_containers_by_agent")
                    .table("agent_containers")
                    .col("agent_id")
                    .col("epoch")
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("workspace_placements")
                    .col(uuid("workspace_id").primary_key())
                    .col(uuid_null("node_id"))
                    .col(uuid("set_by"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .col(big_integer("version").default(1))
                    .foreign_key(
                        ForeignKey::create()
                            .from("workspace_placements", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await
    }
}
