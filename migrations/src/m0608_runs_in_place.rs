//! Updates of active runs happen in place. Every checkpoint and every renewal of a lease changes `updated_ms`. While an
//! index held it, each update added an entry to every index of the table. Active runs are few, so the sweeper needs no
//! order. On PostgreSQL, each page keeps room for the next version of its rows. This reduces the log to a third per
//! update. Runs of a tree are also found by its root: their total cost is queried before each turn of a model.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let room = match manager.get_database_backend() {
            DbBackend::Postgres => &["ALTER TABLE topology_runs SET (fillfactor = 50)"][..],
            _ => &[],
        };
        let index = [
            "DROP INDEX topology_runs_running",
            "CREATE INDEX topology_runs_running ON topology_runs (workspace_id) WHERE status = 'running'",
            "CREATE INDEX topology_runs_root ON topology_runs (root_run_id)",
        ];
        for sql in index.iter().chain(room) {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
