//! The files of PDF artifacts, and what they show.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let pdfs = Table::create()
            .table("mission_pdfs")
            .col(uuid("artifact_id").primary_key())
            .col(uuid("workspace_id"))
            .col(uuid("mission_id"))
            .col(uuid_null("source_id"))
            .col(integer("attempts"))
            .col(integer_null("pages"))
            .col(big_integer_null("size"))
            .col(blob_null("file"))
            .foreign_key(
                ForeignKey::create()
                    .from("mission_pdfs", "artifact_id")
                    .to("mission_artifacts", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(pdfs).await?;
        let of_mission = Index::create()
            .name("mission_pdfs_of_mission")
            .table("mission_pdfs")
            .col("mission_id")
            .to_owned();
        manager.index(of_mission).await?;
        // The renderer looks for pending ones, every two seconds.
        let pending = Index::create()
            .name("mission_artifacts_by_status")
            .table("mission_artifacts")
            .col("status")
            .col("updated_at")
            .to_owned();
        manager.index(pending).await
    }
}
