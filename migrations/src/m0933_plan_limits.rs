//! Limits of plans that an operator changed. They replace those of the configuration.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let limits = Table::create()
            .table("plan_limits")
            .col(string("plan").primary_key())
            .col(big_integer("agents"))
            .col(big_integer("live_containers"))
            .col(big_integer("workspaces"))
            .col(uuid("changed_by"))
            .col(timestamp_with_time_zone("changed_at"))
            .col(big_integer("version"))
            .to_owned();
        manager.create(limits).await
    }
}
