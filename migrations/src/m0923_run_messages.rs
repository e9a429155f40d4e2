//! What people say to a run while it works, and runs that a person paused.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [
            big_integer_null("paused_ms"),
            uuid_null("paused_by"),
            integer("messages").default(0).to_owned(),
        ] {
            let state = Table::alter()
                .table("run_state")
                .add_column(column)
                .to_owned();
            manager.alter(state).await?;
        }
        let messages = Table::create()
            .table("run_messages")
            .col(uuid("id").primary_key())
            .col(uuid("workspace_id"))
            .col(uuid("root_run_id"))
            .col(uuid("run_id"))
            .col(uuid_null("agent_id"))
            .col(uuid("user_id"))
            .col(text("text"))
            .col(big_integer("created_ms"))
            .foreign_key(
                ForeignKey::create()
                    .from("run_messages", "run_id")
                    .to("topology_runs", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(messages).await?;
        let of_tree = Index::create()
            .name("run_messages_of_tree")
            .table("run_messages")
            .col("root_run_id")
            .to_owned();
        manager.index(of_tree).await?;
        let of_run = Index::create()
            .name("run_messages_of_run")
            .table("run_messages")
            .col("run_id")
            .to_owned();
        manager.index(of_run).await
    }
}
