//! Team templates (built-in templates have no workspace), their present roles, every complete version, and which agent
//! was made from which version.

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
                    .table("team_templates")
                    .col(uuid("id").primary_key())
                    .col(uuid_null("workspace_id"))
                    .col(string("key"))
                    .col(string("name"))
                    .col(text("description"))
                    .col(string("stack"))
                    .col(string("default_topology"))
                    .col(string("risk_profile"))
                    .col(text("mcp_bundles"))
                    .col(string("category"))
                    .col(string("source"))
                    .col(big_integer("version"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .col(timestamp_with_time_zone_null("deleted_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("team_templates", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("team_template_roles")
                    .col(uuid("template_id"))
                    .col(string("slot"))
                    .col(uuid_null("workspace_id"))
                    .col(integer("position"))
                    .col(string("title"))
                    .col(string_null("seat"))
                    .col(text("summary"))
                    .col(text("system_prompt"))
                    .col(text("skills"))
                    .col(text("brain_seed"))
                    .primary_key(Index::create().col("template_id").col("slot"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("team_template_roles", "template_id")
                            .to("team_templates", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("team_template_versions")
                    .col(uuid("template_id"))
                    .col(big_integer("version"))
                    .col(uuid_null("workspace_id"))
                    .col(string("sha256"))
                    .col(text("content"))
                    .col(uuid("author"))
                    .col(timestamp_with_time_zone("at"))
                    .primary_key(Index::create().col("template_id").col("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("team_template_versions", "template_id")
                            .to("team_templates", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("agent_template_links")
                    .col(uuid("agent_id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("template_id"))
                    .col(big_integer("template_version"))
                    .col(string("role_slot"))
                    .col(timestamp_with_time_zone_null("seeded_at"))
                    .col(timestamp_with_time_zone("created_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_template_links", "agent_id")
                            .to("claws", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_template_links", "template_id")
                            .to("team_templates", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE UNIQUE INDEX team_templates_by_key ON team_templates (workspace_id, key) WHERE deleted_at IS NULL",
            "CREATE INDEX agent_template_links_by_template ON agent_template_links (workspace_id, template_id, agent_id)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
