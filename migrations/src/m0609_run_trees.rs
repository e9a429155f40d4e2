//! Trees of runs: whether a child's cost is included in its parent's, so that the cost of a tree is one exact sum; the
//! waiting children, which are claimed first; and when a run's outputs were deleted, so that a sweep visits it once.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        let rolled_up = boolean("rolled_up").default(false).to_owned();
        for column in [rolled_up, big_integer_null("forgotten_ms")] {
            let add = Table::alter()
                .table("topology_runs")
                .add_column(column)
                .to_owned();
            manager.alter(add).await?;
        }
        for sql in [
            // Keeps the counting of earlier rows.
            "UPDATE topology_runs SET rolled_up = TRUE WHERE parent_run_id IS NOT NULL AND ended_ms IS NOT NULL",
            "CREATE INDEX topology_runs_children_queued ON topology_runs (workspace_id, created_ms, id) \
               WHERE status = 'queued' AND parent_run_id IS NOT NULL",
            "CREATE INDEX topology_runs_kept ON topology_runs (ended_ms) WHERE forgotten_ms IS NULL AND ended_ms IS NOT NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
