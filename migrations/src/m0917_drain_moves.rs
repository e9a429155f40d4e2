//! A drain that moves sandboxes: the wish and its end on the machine, and how far each sandbox is.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            // The sandboxes of a draining machine move elsewhere.
            ("nodes", boolean("drain_move").default(false).take()),
            ("nodes", timestamp_with_time_zone_null("drain_since").take()),
            // Since when nothing that is needed is on the machine.
            ("nodes", timestamp_with_time_zone_null("emptied_at").take()),
            // What the drain has done for the sandbox: `{turn, flushed, failed}`.
            ("agent_containers", json_binary_null("drain").take()),
        ];
        for (table, mut column) in columns {
            let added = Table::alter()
                .table(table)
                .add_column(&mut column)
                .to_owned();
            manager.alter(added).await?;
        }
        Ok(())
    }
}
