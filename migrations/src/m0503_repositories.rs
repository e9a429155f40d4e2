//! Connections to code hosts, and the repositories that they list. The token of a connection is in the secret broker;
//! this table holds only its name there.

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
                    .table("repo_connections")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string("provider"))
                    .col(string_null("owner"))
                    .col(string("base_url"))
                    .col(string("label"))
                    .col(string("secret_reference"))
                    .col(uuid("created_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone_null("last_synced_at"))
                    .col(text_null("last_sync_error"))
                    .col(big_integer("last_sync_skipped"))
                    .col(boolean("last_sync_cut"))
                    .col(boolean("sync_wanted"))
                    .col(uuid_null("sync_holder"))
                    .col(timestamp_with_time_zone_null("sync_until"))
                    .col(big_integer("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("repo_connections", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("repos")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("connection_id"))
                    .col(string("external_id"))
                    .col(string("name"))
                    .col(string("full_name"))
                    .col(text_null("description"))
                    .col(string_null("language"))
                    .col(boolean("private"))
                    .col(boolean("archived"))
                    .col(boolean("fork"))
                    .col(string_null("default_branch"))
                    .col(text("clone_url"))
                    .col(text("html_url"))
                    .col(timestamp_with_time_zone_null("provider_updated"))
                    .col(uuid("seen_by"))
                    .col(timestamp_with_time_zone("seen_at"))
                    .col(timestamp_with_time_zone_null("gone_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("repos", "connection_id")
                            .to("repo_connections", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE INDEX repo_connections_by_workspace ON repo_connections (workspace_id, id)",
            // The sync scheduler queries this every few seconds; it is nearly always empty.
            "CREATE INDEX repo_connections_to_sync ON repo_connections (sync_until) WHERE sync_wanted",
            "CREATE UNIQUE INDEX repos_by_connection ON repos (connection_id, external_id)",
            "CREATE INDEX repos_by_workspace ON repos (workspace_id, provider_updated)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
