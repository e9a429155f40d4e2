//! An agent's brain (each version is a row that never changes) and its avatar.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The primary key decides between two concurrent writers of the same version.
        manager
            .create(
                Table::create()
                    .table("claw_brains")
                    .col(uuid("claw_id"))
                    .col(big_integer("version"))
                    .col(uuid("workspace_id"))
                    .col(text("agent_md"))
                    .col(big_integer("bytes"))
                    .col(string("cause"))
                    .col(big_integer_null("restored_from"))
                    .col(uuid("author"))
                    .col(timestamp_with_time_zone("at"))
                    .primary_key(Index::create().col("claw_id").col("version"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("claw_brains", "claw_id")
                            .to("claws", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("claw_avatars")
                    .col(uuid("claw_id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(blob("png"))
                    .col(string("sha256"))
                    .col(uuid("uploaded_by"))
                    .col(timestamp_with_time_zone("at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("claw_avatars", "claw_id")
                            .to("claws", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await
    }
}
