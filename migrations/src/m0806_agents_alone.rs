//! Each agent has a runtime record, also an agent that was created on its own. A record shows whether its agent was
//! created for a team, because only those agents can be deleted with a team. Before, the record itself showed it. A run
//! can give work to one agent.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let minted = Table::alter()
            .table("runtime_agents")
            .add_column(boolean("minted").default(false))
            .to_owned();
        manager.alter(minted).await?;
        let agent = Table::alter()
            .table("topology_runs")
            .add_column(uuid_null("agent_id"))
            .to_owned();
        manager.alter(agent).await?;
        for sql in [
            "UPDATE runtime_agents SET minted = TRUE",
            // Until now a step read the agent's own row.
            "UPDATE runtime_agents SET model = (SELECT model_binding FROM claws WHERE claws.id = runtime_agents.agent_id)",
            // Agents without a team could read their skills.
            "INSERT INTO runtime_agents (agent_id, workspace_id, runtime, model, risk_profile, mcp_bundles, created_at, minted) \
             SELECT id, workspace_id, 'built_in', model_binding, 'toolfree', '[\"door\",\"skills\"]', created_at, FALSE \
             FROM claws WHERE NOT EXISTS (SELECT 1 FROM runtime_agents WHERE runtime_agents.agent_id = claws.id)",
            "CREATE INDEX topology_runs_of_agent ON topology_runs (agent_id, id) WHERE agent_id IS NOT NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
