//! People stop one agent of a run at work: who asked for it and when is in the row of its step.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column in a statement.
        for column in [big_integer_null("stop_asked_ms"), uuid_null("stopped_by")] {
            let add = Table::alter()
                .table("run_steps")
                .add_column(column)
                .to_owned();
            manager.alter(add).await?;
        }
        let sql = "CREATE INDEX run_steps_stops ON run_steps (stop_asked_ms) WHERE stop_asked_ms IS NOT NULL";
        manager.run_sql(sql).await?;
        Ok(())
    }
}
