//! Claws (agents): a person always manages each, deletion is soft, a saga purges them.

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
                    .table("claws")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string("name"))
                    .col(string_null("role"))
                    .col(text_null("system_prompt"))
                    .col(string_null("model_binding"))
                    .col(uuid("managed_by"))
                    .col(string("status"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .col(timestamp_with_time_zone_null("deleted_at"))
                    .col(big_integer("version").default(1))
                    .foreign_key(
                        ForeignKey::create()
                            .from("claws", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("claws", "managed_by")
                            .to("users", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("claws_by_workspace")
                    .table("claws")
                    .col("workspace_id")
                    .col("id")
                    .to_owned(),
            )
            .await
    }
}
