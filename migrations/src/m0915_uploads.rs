//! Uploaded files that runs begin with.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let uploads = Table::create()
            .table("uploads")
            .col(uuid("id").primary_key())
            .col(uuid("workspace_id"))
            .col(text("name"))
            .col(string("commit_id"))
            .col(big_integer("files"))
            .col(big_integer("bytes"))
            .col(uuid("created_by"))
            .col(timestamp_with_time_zone("created_at"))
            .foreign_key(
                ForeignKey::create()
                    .from("uploads", "workspace_id")
                    .to("workspaces", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(uploads).await?;
        let index = Index::create()
            .name("uploads_workspace")
            .table("uploads")
            .col("workspace_id")
            .to_owned();
        manager.index(index).await?;
        // Without a foreign key: the run stays when its upload goes.
        let bound = Table::alter()
            .table("run_repos")
            .add_column(uuid_null("upload_id"))
            .to_owned();
        manager.alter(bound).await
    }
}
