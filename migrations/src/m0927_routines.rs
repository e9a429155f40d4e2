//! Routines and the journal of their firings.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(routines()).await?;
        manager.create(firings()).await?;
        for (name, table, columns) in [
            ("routines_of_workspace", "routines", ["workspace_id", "id"]),
            ("routines_due", "routines", ["enabled", "next_due_at"]),
            (
                "routine_firings_of_workspace",
                "routine_firings",
                ["workspace_id", "id"],
            ),
            (
                "routine_firings_of_routine",
                "routine_firings",
                ["routine_id", "id"],
            ),
            ("routine_firings_open", "routine_firings", ["state", "id"]),
        ] {
            let mut index = Index::create();
            index.name(name).table(table);
            for column in columns {
                index.col(column);
            }
            manager.index(index.to_owned()).await?;
        }
        // A due time is handled once.
        let once = Index::create()
            .name("routine_firings_once")
            .table("routine_firings")
            .col("routine_id")
            .col("due_at")
            .col("cause")
            .unique()
            .to_owned();
        manager.index(once).await
    }
}

fn routines() -> TableCreateStatement {
    Table::create()
        .table("routines")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(text("name"))
        .col(text("schedule"))
        .col(text("recipe"))
        .col(string("missed"))
        .col(string("overlap"))
        .col(boolean("enabled"))
        .col(timestamp_with_time_zone_null("next_due_at"))
        .col(uuid_null("mission_id"))
        .col(uuid("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .to_owned()
}

fn firings() -> TableCreateStatement {
    Table::create()
        .table("routine_firings")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("routine_id"))
        .col(string("cause"))
        .col(string("state"))
        .col(timestamp_with_time_zone("due_at"))
        .col(timestamp_with_time_zone("noted_at"))
        .col(integer("due_times"))
        .col(text_null("reason"))
        .col(uuid_null("run_id"))
        .col(uuid_null("mission_id"))
        .col(uuid("acted_for"))
        .col(timestamp_with_time_zone_null("ended_at"))
        .foreign_key(
            ForeignKey::create()
                .from("routine_firings", "routine_id")
                .to("routines", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
