//! Mirrors of repositories on the secret broker's disk: which are wanted, the progress of a fetch, and their content.

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
                    .table("repo_mirrors")
                    .col(uuid("repo_id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(boolean("wanted"))
                    .col(boolean("dropped"))
                    .col(uuid_null("holder"))
                    .col(timestamp_with_time_zone_null("until"))
                    .col(string_null("phase"))
                    .col(integer("percent"))
                    .col(big_integer("received"))
                    .col(timestamp_with_time_zone_null("fetched_at"))
                    .col(text_null("error"))
                    .col(big_integer("bytes"))
                    .col(big_integer("branches"))
                    .col(big_integer("tags"))
                    .col(text_null("head_branch"))
                    .col(string_null("head_commit"))
                    .col(big_integer("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("repo_mirrors", "repo_id")
                            .to("repos", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        for sql in [
            "CREATE INDEX repo_mirrors_by_workspace ON repo_mirrors (workspace_id)",
            // The mirror scheduler queries this every few seconds; it is nearly always empty.
            "CREATE INDEX repo_mirrors_to_do ON repo_mirrors (until) WHERE wanted OR dropped",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
