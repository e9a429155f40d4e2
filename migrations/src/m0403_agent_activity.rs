//! Indexes for the history of one agent: its operations and its events. Most events concern no agent, so their index is
//! partial; both back ends use the same syntax for it.

use sea_orm_migration::prelude::*;

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in [
            "CREATE INDEX node_operations_by_agent ON node_operations (agent_id, created_at) WHERE agent_id IS NOT NULL",
            "CREATE INDEX events_by_agent ON events (agent_id, at) WHERE agent_id IS NOT NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
