//! The writer of the audit chain: the entries that wait for a link, the end of the chain, and indexes for queries of
//! the log (counts by action and time, the history of one subject).

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Inserted with the entry and removed with its link, so the writer finds its work without reading the whole
        // log. An entry with neither was not written by the gateway. No foreign key: a vanished entry must be detected,
        // not prevented.
        manager
            .create(
                Table::create()
                    .table("audit_waiting")
                    .col(uuid("entry_id").primary_key())
                    .to_owned(),
            )
            .await?;
        // A second copy of the chain's end, so that links removed from its end are detected.
        manager
            .create(
                Table::create()
                    .table("audit_head")
                    .col(big_integer("id").primary_key())
                    .col(big_integer("position"))
                    .col(string("sha256"))
                    .to_owned(),
            )
            .await?;
        for (name, columns) in [
            ("audit_entries_by_action", ["workspace_id", "action", "at"]),
            (
                "audit_entries_by_entity",
                ["workspace_id", "entity_id", "id"],
            ),
        ] {
            let mut index = Index::create();
            index.name(name).table("audit_entries");
            for column in columns {
                index.col(column);
            }
            manager.index(index).await?;
        }
        manager
            .run_sql("INSERT INTO audit_waiting (entry_id) SELECT id FROM audit_entries")
            .await?;
        Ok(())
    }
}
