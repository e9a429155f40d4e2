//! The audit chain gets its writer: which entries wait for a link, where the chain ends, and what the log is asked for
//! (counting by action and time, the history of one thing).

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Written with the entry, taken away with its link: the writer finds its work without looking at the whole log,
        // and an entry with neither came in past the code. No foreign key: that it vanished must be seen, not prevented.
        manager
            .create_table(
                Table::create()
                    .table("audit_waiting")
                    .col(uuid("entry_id").primary_key())
                    .to_owned(),
            )
            .await?;
        // The end of the chain in a second place, so that cutting links off its end is seen.
        manager
            .create_table(
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
            manager.create_index(index).await?;
        }
        manager
            .get_connection()
            .execute_unprepared("INSERT INTO audit_waiting (entry_id) SELECT id FROM audit_entries")
            .await?;
        Ok(())
    }
}
