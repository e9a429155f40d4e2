//! Steps that wait for something outside: for what, since when, and until when at most. And the runs that were woken,
//! which the claimer takes up again.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(waits()).await?;
        for sql in [
            "CREATE INDEX run_waits_on ON run_waits (kind, subject) WHERE NOT woken",
            "CREATE INDEX run_waits_due ON run_waits (due_ms) WHERE due_ms IS NOT NULL AND NOT woken",
            "CREATE INDEX run_waits_woken ON run_waits (run_id) WHERE woken",
            "CREATE INDEX run_state_woken ON run_state (workspace_id, queued_ms, run_id) \
               WHERE status = 'running' AND owner IS NULL AND waiting_on IS NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}

fn waits() -> TableCreateStatement {
    Table::create()
        .table("run_waits")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("shard"))
        .col(string("kind"))
        .col(string("subject"))
        .col(text("text"))
        .col(big_integer("since_ms"))
        .col(big_integer_null("due_ms"))
        .col(boolean("woken"))
        .primary_key(
            Index::create()
                .col("run_id")
                .col("step_key")
                .col("lap")
                .col("shard"),
        )
        .foreign_key(
            ForeignKey::create()
                .from("run_waits", "run_id")
                .to("topology_runs", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
