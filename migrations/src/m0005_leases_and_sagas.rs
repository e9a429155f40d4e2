//! Ownership between replicas (a row with owner, epoch and expiry by the database's clock) and sagas (work in several
//! steps that finishes after a crash at any point).

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
                    .table("leases")
                    .col(string("name").primary_key())
                    .col(string("owner"))
                    .col(big_integer("epoch"))
                    .col(big_integer("expires_ms"))
                    .to_owned(),
            )
            .await?;
        // No foreign key to the subject: the last step of a purge removes the subject, while the saga's row stays as
        // the receipt.
        manager
            .create(
                Table::create()
                    .table("sagas")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("requested_by"))
                    .col(string("kind"))
                    .col(uuid("subject_id"))
                    .col(string("step"))
                    .col(string("state"))
                    .col(big_integer("attempts"))
                    .col(big_integer("due_ms"))
                    .col(text_null("last_error"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone("updated_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("sagas_by_state_and_due")
                    .table("sagas")
                    .col("state")
                    .col("due_ms")
                    .to_owned(),
            )
            .await
    }
}
