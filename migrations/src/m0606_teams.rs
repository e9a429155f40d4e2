//! Teams: a topology whose nodes are agents, its origin, and the permissions of its agents.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create(
                Table::create()
                    .table("teams")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(text("name"))
                    .col(text_null("description"))
                    // `ready`, or `going` while the team is being removed.
                    .col(string("state"))
                    // Null means the template's default.
                    .col(string_null("risk_profile"))
                    .col(text("mcp_bundles"))
                    .col(string("lifecycle"))
                    .col(uuid_null("template_id"))
                    .col(big_integer_null("template_version"))
                    .col(text("topology"))
                    // The agent whose sandbox the team uses; null: each agent uses its own.
                    .col(uuid_null("workbench_id"))
                    .col(text_null("model_binding"))
                    .col(uuid("created_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .col(big_integer("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("teams", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("team_members")
                    .col(uuid("team_id"))
                    .col(string("node"))
                    .col(uuid("agent_id"))
                    .col(string("slot"))
                    .col(integer("position"))
                    .primary_key(Index::create().col("team_id").col("node"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("team_members", "team_id")
                            .to("teams", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        // An agent as the runtime knows it. The gateway decides at each call what a step may use, so the record holds
        // no more than this.
        manager
            .create(
                Table::create()
                    .table("runtime_agents")
                    .col(uuid("agent_id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string("runtime"))
                    .col(text_null("model"))
                    .col(string("risk_profile"))
                    .col(text("mcp_bundles"))
                    .col(timestamp_with_time_zone("created_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("runtime_agents", "agent_id")
                            .to("claws", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE INDEX run_steps_at_work ON run_steps (agent_id) WHERE status = 'running'",
            "CREATE INDEX teams_listed ON teams (workspace_id, created_at DESC, id DESC)",
            "CREATE INDEX team_members_by_agent ON team_members (agent_id)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
