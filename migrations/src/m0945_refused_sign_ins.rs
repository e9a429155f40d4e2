//! Sign-ins with a wrong password, until the audit log has them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let create = Table::create()
            .table("refused_sign_ins")
            .col(uuid("id").primary_key())
            // Absent when no account has the address. No foreign key: a check of one would take its own time.
            .col(uuid_null("user_id"))
            .col(string("from_address"))
            .col(string_null("device"))
            .col(timestamp_with_time_zone("at"))
            .to_owned();
        manager.create(create).await
    }
}
