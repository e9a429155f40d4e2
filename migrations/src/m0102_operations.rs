//! The caller's side of operations. A row is written before anything is sent, and gets exactly one terminal state.
//!
//! No foreign key to nodes, agents or sandboxes: the log outlives them. `node_id` is absent for the gateway's own host.
//! `engine` then names the host, so that another gateway does not change the row.

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
                    .table("node_operations")
                    .col(uuid("id").primary_key())
                    .col(uuid_null("node_id"))
                    .col(string_null("engine"))
                    .col(uuid_null("workspace_id"))
                    .col(uuid_null("agent_id"))
                    .col(uuid_null("sandbox_id"))
                    .col(string("kind"))
                    .col(json_binary("request"))
                    .col(binary_null("wire"))
                    .col(boolean("cancelling").default(false))
                    .col(string("state"))
                    .col(json_binary_null("outcome"))
                    .col(string_null("detail"))
                    .col(big_integer("output_end").default(0))
                    .col(big_integer("output_dropped").default(0))
                    .col(big_integer_null("duration_ms"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone_null("started_at"))
                    .col(timestamp_with_time_zone_null("finished_at"))
                    .col(timestamp_with_time_zone("give_up_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("node_operations", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("node_operations_by_node")
                    .table("node_operations")
                    .col("node_id")
                    .col("id")
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("node_operations_by_state")
                    .table("node_operations")
                    .col("state")
                    .to_owned(),
            )
            .await
    }
}
