//! Invitations by link. Only the hash of the link's token is stored. An accepted invitation stays as a record.

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
                    .table("invitations")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string_uniq("token_sha256"))
                    .col(string("role"))
                    .col(string_null("email"))
                    .col(uuid("invited_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .col(uuid_null("accepted_by"))
                    .col(timestamp_with_time_zone_null("accepted_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("invitations", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("invitations", "invited_by")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("invitations_by_workspace")
                    .table("invitations")
                    .col("workspace_id")
                    .col("id")
                    .to_owned(),
            )
            .await
    }
}
