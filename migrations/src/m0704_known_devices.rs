//! Browsers that signed in to an account before. Failed attempts of others do not lock them out.

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
                    .table("known_devices")
                    // SHA-256 of the value in the browser, in hex.
                    .col(string("id").primary_key())
                    .col(uuid("user_id"))
                    .col(timestamp_with_time_zone("used_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("known_devices", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("known_devices_user")
                    .table("known_devices")
                    .col("user_id")
                    .col("used_at")
                    .to_owned(),
            )
            .await
    }
}
