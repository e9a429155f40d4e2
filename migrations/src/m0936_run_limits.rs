//! Runs with a limit of turns and of time. When the time of a run is up is written when it begins.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column in a statement.
        for (table, column) in [
            ("topology_runs", integer_null("turn_limit")),
            ("topology_runs", integer_null("time_limit_s")),
            ("run_state", big_integer_null("time_up_ms")),
        ] {
            let add = Table::alter().table(table).add_column(column).to_owned();
            manager.alter(add).await?;
        }
        let sql = "CREATE INDEX run_state_time_up ON run_state (time_up_ms) \
                   WHERE status = 'running' AND time_up_ms IS NOT NULL";
        manager.run_sql(sql).await?;
        Ok(())
    }
}
