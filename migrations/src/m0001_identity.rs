//! People and workspaces: users, sessions, one-time logins, operator grants, workspaces, members, quota counters.

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
                    .table("users")
                    .col(uuid("id").primary_key())
                    .col(string_uniq("email"))
                    .col(string("name"))
                    .col(text_null("password_hash"))
                    .col(timestamp_with_time_zone("created_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("workspaces")
                    .col(uuid("id").primary_key())
                    .col(string("name"))
                    .col(string("plan"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(big_integer("version").default(1))
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("members")
                    .col(uuid("workspace_id"))
                    .col(uuid("user_id"))
                    .col(string("role"))
                    .col(timestamp_with_time_zone("created_at"))
                    .primary_key(Index::create().col("workspace_id").col("user_id"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("members", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("members", "user_id")
                            .to("users", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("members_by_user")
                    .table("members")
                    .col("user_id")
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("sessions")
                    .col(uuid("id").primary_key())
                    .col(uuid("user_id"))
                    .col(uuid("workspace_id"))
                    .col(string_uniq("token_sha256"))
                    .col(string("kind"))
                    .col(string_null("label"))
                    .col(boolean("set_password_without_current"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("last_seen_at"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("sessions", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("sessions", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("sessions_by_user")
                    .table("sessions")
                    .col("user_id")
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("one_time_logins")
                    .col(uuid("id").primary_key())
                    .col(uuid("user_id"))
                    .col(string_uniq("token_sha256"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("one_time_logins", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("operator_grants")
                    .col(string("email").primary_key())
                    .col(timestamp_with_time_zone("granted_at"))
                    .to_owned(),
            )
            .await?;
        // One counter per workspace and kind, so that counting and reserving is one UPDATE and the row lock serialises
        // it.
        manager
            .create(
                Table::create()
                    .table("quota_usage")
                    .col(uuid("workspace_id"))
                    .col(string("kind"))
                    .col(big_integer("used"))
                    .primary_key(Index::create().col("workspace_id").col("kind"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("quota_usage", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await
    }
}
