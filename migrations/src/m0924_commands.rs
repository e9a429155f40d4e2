//! The record of a command in a sandbox: whose it is, who ran it, what they wrote, how it ended, and a part of its output.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            string_null("owner_kind"),
            uuid_null("user_id"),
            uuid_null("agent_id"),
            uuid_null("run_id"),
            text_null("step"),
            text_null("tool"),
            text_null("command"),
            integer_null("exit_code"),
            boolean("is_shell").default(false).take(),
        ];
        // SQLite adds one column in a statement.
        for column in columns {
            let add = Table::alter()
                .table("node_operations")
                .add_column(column)
                .to_owned();
            manager.alter(add).await?;
        }
        manager.create(outputs()).await?;
        manager.run_sql(EARLIER).await?;
        manager.run_sql(BY_OWNER).await?;
        Ok(())
    }
}

/// The first and the last bytes of a command's output. The machine deletes all of it a day after the command's end.
fn outputs() -> TableCreateStatement {
    Table::create()
        .table("command_outputs")
        .col(uuid("operation_id").primary_key())
        .col(uuid("workspace_id"))
        .col(binary("parts"))
        .foreign_key(
            ForeignKey::create()
                .from("command_outputs", "operation_id")
                .to("node_operations", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

/// Earlier commands get their owner, so that lists show them. Roost's own programs are in no list.
const EARLIER: &str = "UPDATE node_operations SET owner_kind = \
     (SELECT c.owner_kind FROM agent_containers c WHERE c.id = node_operations.sandbox_id) \
     WHERE kind = 'sb_exec' AND CAST(request AS TEXT) NOT LIKE '%\"probe\"%' \
       AND CAST(request AS TEXT) NOT LIKE '%\"pane\"%'";

/// A list of commands reads an owner's newest first, and an owner may have many.
const BY_OWNER: &str = "CREATE INDEX node_operations_commands ON node_operations (owner_id, created_at, id) \
     WHERE owner_kind IS NOT NULL";
