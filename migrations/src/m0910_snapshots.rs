//! Snapshots of agents' workspaces: which machine has each, and whether the gateway's store has it.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let snapshots = Table::create()
            .table("workspace_snapshots")
            .col(uuid("id").primary_key())
            .col(uuid("workspace_id"))
            .col(uuid("agent_id"))
            .col(uuid("sandbox_id"))
            // A node's id, or `local`.
            .col(string("node_id"))
            .col(string("digest"))
            .col(big_integer("files"))
            .col(big_integer("bytes"))
            // A list of lines.
            .col(json_binary("left_out"))
            .col(timestamp_with_time_zone("taken_at"))
            .col(timestamp_with_time_zone("received_at"))
            // The gateway's store has all chunks.
            .col(timestamp_with_time_zone_null("uploaded_at"))
            .foreign_key(
                ForeignKey::create()
                    .from("workspace_snapshots", "workspace_id")
                    .to("workspaces", "id"),
            )
            .foreign_key(
                ForeignKey::create()
                    .from("workspace_snapshots", "agent_id")
                    .to("claws", "id"),
            )
            .to_owned();
        manager.create(snapshots).await?;
        // The same files are one snapshot, however often a workspace returns to them.
        let once = Index::create()
            .name("workspace_snapshots_once")
            .table("workspace_snapshots")
            .col("agent_id")
            .col("digest")
            .unique()
            .to_owned();
        manager.index(once).await?;
        for (name, columns) in [
            ("workspace_snapshots_by_agent", ["agent_id", "taken_at"]),
            ("workspace_snapshots_by_machine", ["node_id", "agent_id"]),
            ("workspace_snapshots_by_digest", ["workspace_id", "digest"]),
        ] {
            let mut index = Index::create();
            index.name(name).table("workspace_snapshots");
            for column in columns {
                index.col(column);
            }
            manager.index(index).await?;
        }
        let restored = Table::alter()
            .table("agent_containers")
            // What the machine restored: `{digest, taken_at}`.
            .add_column(json_binary_null("restored"))
            .to_owned();
        manager.alter(restored).await?;
        let problem = Table::alter()
            .table("agent_containers")
            // Why the machine could not take the last snapshot.
            .add_column(text_null("snapshot_problem"))
            .to_owned();
        manager.alter(problem).await
    }
}
