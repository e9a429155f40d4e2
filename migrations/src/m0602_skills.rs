//! Skills: the catalogue (built-in skills have no workspace), its history, the skills of each role in each template
//! version, and the skills that single agents add or exclude.

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
                    .table("skills")
                    .col(uuid("id").primary_key())
                    .col(uuid_null("workspace_id"))
                    .col(string("name"))
                    .col(string("title"))
                    .col(text("when_to_use"))
                    .col(text("tags"))
                    .col(string("source_kind"))
                    .col(string("visibility"))
                    .col(boolean("foundation"))
                    .col(big_integer("current_version"))
                    .col(text("body"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .col(timestamp_with_time_zone_null("deleted_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("skills", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("skill_versions")
                    .col(uuid("skill_id"))
                    .col(big_integer("version"))
                    .col(uuid_null("workspace_id"))
                    .col(string("title"))
                    .col(text("when_to_use"))
                    .col(text("tags"))
                    .col(text("body"))
                    .col(json_null("promoted_from"))
                    .col(big_integer_null("restored_from"))
                    .col(uuid("author"))
                    .col(timestamp_with_time_zone("at"))
                    .primary_key(Index::create().col("skill_id").col("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("skill_versions", "skill_id")
                            .to("skills", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        // The skill is absent when its name was unknown at the time the role was bound.
        manager
            .create(
                Table::create()
                    .table("template_role_skills")
                    .col(uuid("template_id"))
                    .col(big_integer("template_version"))
                    .col(string("role_slot"))
                    .col(string("skill_name"))
                    .col(uuid_null("skill_id"))
                    .col(uuid_null("workspace_id"))
                    .col(boolean("pin_in_context"))
                    .col(integer("order_idx"))
                    .primary_key(
                        Index::create()
                            .col("template_id")
                            .col("template_version")
                            .col("role_slot")
                            .col("skill_name"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("template_role_skills", "skill_id")
                            .to("skills", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("agent_skill_overrides")
                    .col(uuid("agent_id"))
                    .col(uuid("skill_id"))
                    .col(uuid("workspace_id"))
                    .col(boolean("include"))
                    .primary_key(Index::create().col("agent_id").col("skill_id"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_skill_overrides", "agent_id")
                            .to("claws", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("agent_skill_overrides", "skill_id")
                            .to("skills", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE INDEX skills_by_name ON skills (workspace_id, name)",
            "CREATE INDEX template_role_skills_by_skill ON template_role_skills (skill_id)",
            "CREATE INDEX agent_skill_overrides_by_skill ON agent_skill_overrides (skill_id)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
