//! Teams: a topology whose nodes are agents, where it came from, and what its agents may use.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("teams")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(text("name"))
                    .col(text_null("description"))
                    // `making` while its agents are made, `ready`, `going` while it is taken down.
                    .col(string("state"))
                    .col(text_null("trouble"))
                    // Null means the template's default.
                    .col(string_null("risk_profile"))
                    .col(text("mcp_bundles"))
                    .col(string("lifecycle"))
                    .col(uuid_null("template_id"))
                    .col(integer_null("template_version"))
                    .col(text("topology"))
                    // Whose sandbox the team works in; null: each agent in its own.
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
            .create_table(
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
        for sql in [
            "CREATE INDEX teams_listed ON teams (workspace_id, created_at DESC, id DESC)",
            "CREATE INDEX team_members_by_agent ON team_members (agent_id)",
        ] {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
