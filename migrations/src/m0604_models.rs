//! Models for a workspace's agents, and their cost limits. Keys are in the secret broker; this table holds only their
//! names there.

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
                    .table("models")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string("provider"))
                    .col(string("model"))
                    .col(string("base_url"))
                    .col(string("secret_reference"))
                    .col(boolean("has_key"))
                    .col(big_integer_null("input_price"))
                    .col(big_integer_null("output_price"))
                    .col(boolean("is_default"))
                    .col(uuid("created_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(big_integer("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("models", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("model_settings")
                    .col(uuid("workspace_id").primary_key())
                    .col(big_integer_null("run_ceiling"))
                    .col(big_integer_null("month_ceiling"))
                    .col(big_integer("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("model_settings", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE UNIQUE INDEX models_by_name ON models (workspace_id, provider, model)",
            "CREATE UNIQUE INDEX models_default ON models (workspace_id) WHERE is_default",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
