//! Indexes for the history of one agent: its operations and its events (what was done to it has one). Most events are
//! about no agent, so theirs is partial, which both back ends spell alike.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in [
            "CREATE INDEX node_operations_by_agent ON node_operations (agent_id, created_at) WHERE agent_id IS NOT NULL",
            "CREATE INDEX events_by_agent ON events (agent_id, at) WHERE agent_id IS NOT NULL",
        ] {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
