//! The files around each step of a run, and the files that the sandboxes of a run begin with.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_run = |table: &'static str| {
            ForeignKey::create()
                .from(table, "run_id")
                .to("topology_runs", "id")
                .on_delete(ForeignKeyAction::Cascade)
                .to_owned()
        };
        let around = Table::create()
            .table("run_step_files")
            .col(uuid("run_id"))
            // The step as its keys write it.
            .col(string("step"))
            .col(uuid("workspace_id"))
            .col(uuid("root_run_id"))
            // The agent whose sandbox the step worked in.
            .col(uuid("agent_id"))
            .col(uuid("sandbox_id"))
            // A node's id, or `local`.
            .col(string("node_id"))
            // Snapshots, or why there is none.
            .col(uuid_null("began_snapshot"))
            .col(string_null("began_digest"))
            .col(text_null("began_missing"))
            .col(timestamp_with_time_zone("began_at"))
            .col(uuid_null("ended_snapshot"))
            .col(string_null("ended_digest"))
            .col(text_null("ended_missing"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .primary_key(Index::create().col("run_id").col("step"))
            .foreign_key(&mut of_run("run_step_files"))
            .to_owned();
        manager.create(around).await?;
        for column in ["root_run_id", "agent_id"] {
            let index = Index::create()
                .name(format!("run_step_files_by_{column}"))
                .table("run_step_files")
                .col(column)
                .to_owned();
            manager.index(index).await?;
        }
        let start = Table::create()
            .table("run_start_files")
            // The first run of the tree.
            .col(uuid("run_id"))
            // The agent whose sandbox begins with them; the nil id: each agent of the tree.
            .col(uuid("agent_id"))
            .col(uuid("workspace_id"))
            .col(uuid("snapshot_id"))
            // The agent of the snapshot.
            .col(uuid("snapshot_agent_id"))
            .col(string("digest"))
            // The step that had them.
            .col(string("step"))
            // The sandbox that is made for them.
            .col(uuid("sandbox_id"))
            .col(timestamp_with_time_zone_null("restored_at"))
            .primary_key(Index::create().col("run_id").col("agent_id"))
            .foreign_key(&mut of_run("run_start_files"))
            .to_owned();
        manager.create(start).await?;
        let by_agent = Index::create()
            .name("run_start_files_by_snapshot_agent")
            .table("run_start_files")
            .col("snapshot_agent_id")
            .to_owned();
        manager.index(by_agent).await
    }
}
