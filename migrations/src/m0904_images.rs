//! The catalogue of images, what each machine has of it, and the digest that a sandbox was asked for with.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let images = Table::create()
            .table("images")
            .col(string("name").primary_key())
            .col(text("reference"))
            .col(text("purpose"))
            // A list of words.
            .col(json_binary("tools"))
            .col(text_null("recipe"))
            // The configuration demands this digest.
            .col(text_null("wanted_digest"))
            // What the gateway's own engine has under the reference.
            .col(text_null("digest"))
            .col(big_integer_null("size_bytes"))
            .col(text("state"))
            .col(timestamp_with_time_zone("updated_at"))
            .to_owned();
        manager.create(images).await?;
        let nodes = Table::alter()
            .table("nodes")
            .add_column(json_binary_null("images"))
            .to_owned();
        manager.alter(nodes).await?;
        let sandboxes = Table::alter()
            .table("agent_containers")
            .add_column(text_null("image_digest"))
            .to_owned();
        manager.alter(sandboxes).await
    }
}
