//! Idempotency keys. The row is inserted before the work, so two requests with one key conflict in the database.

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
                    .table("idempotency_keys")
                    .col(uuid("user_id"))
                    .col(uuid("workspace_id"))
                    .col(string("route"))
                    .col(string("key"))
                    .col(string("body_sha256"))
                    .col(uuid("creation_id"))
                    .col(string("state"))
                    .col(big_integer("taken_ms"))
                    .col(integer_null("status"))
                    .col(string_null("content_type"))
                    .col(text_null("body"))
                    .col(timestamp_with_time_zone("created_at"))
                    .primary_key(
                        Index::create()
                            .col("user_id")
                            .col("workspace_id")
                            .col("route")
                            .col("key"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("idempotency_keys", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("idempotency_keys", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("idempotency_keys_by_age")
                    .table("idempotency_keys")
                    .col("created_at")
                    .to_owned(),
            )
            .await
    }
}
