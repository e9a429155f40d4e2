//! The mesh network of a workspace, at most one. Its key is in the secret broker; this table holds only its name there.

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
                    .table("mesh_networks")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id").unique_key())
                    .col(string("kind"))
                    .col(string_null("tailnet"))
                    .col(string("base_url"))
                    .col(string("secret_reference"))
                    .col(uuid("created_by"))
                    .col(timestamp_with_time_zone("created_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("mesh_networks", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await
    }
}
