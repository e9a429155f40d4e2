//! Machine reports of the last day, as averages of one minute each. A missing value is NULL, never zero.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

const METRICS: [&str; 17] = [
    "cpu_pct",
    "memory_used_bytes",
    "memory_total_bytes",
    "swap_used_bytes",
    "swap_total_bytes",
    "disk_used_bytes",
    "disk_total_bytes",
    "load1",
    "load5",
    "load15",
    "cpu_some10",
    "memory_some10",
    "memory_full10",
    "io_some10",
    "io_full10",
    "gpu_pct",
    "temp_max_c",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut table = Table::create();
        table
            .table("node_history")
            .col(uuid("node_id"))
            // Minutes since 1970, by the gateway's clock.
            .col(big_integer("minute"))
            .col(integer("samples"))
            .primary_key(Index::create().col("node_id").col("minute"))
            .foreign_key(
                ForeignKey::create()
                    .from("node_history", "node_id")
                    .to("nodes", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            );
        for metric in METRICS {
            table.col(double_null(metric));
        }
        manager.create(table).await?;
        // Old rows are deleted by age over all machines.
        manager
            .index(
                Index::create()
                    .name("node_history_by_minute")
                    .table("node_history")
                    .col("minute")
                    .to_owned(),
            )
            .await
    }
}
