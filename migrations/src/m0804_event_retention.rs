//! Two retentions on one sequence of events. An ephemeral event carries the length of its data, by which retention counts.
//! `event_cuts` says up to where a workspace's facts and its ephemeral events are deleted, and what is counted between that
//! place and the head. It is apart from `event_heads`, because each append locks a row of that table. Events also get the
//! room that they happened in.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for column in [uuid_null("room_id"), integer_null("ephemeral_bytes")] {
            let add = Table::alter().table("events").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        manager
            .create(
                Table::create()
                    .table("event_cuts")
                    .col(uuid("workspace_id").primary_key())
                    .col(big_integer("epoch"))
                    .col(big_integer("facts_cut"))
                    .col(big_integer("ephemera_cut"))
                    .col(big_integer("counted"))
                    .col(big_integer("facts"))
                    .col(big_integer("ephemera_bytes"))
                    .col(timestamp_with_time_zone_null("oldest_fact"))
                    .col(timestamp_with_time_zone_null("oldest_ephemera"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("event_cuts", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        // Until now these types were only ever ephemeral.
        let known = "UPDATE events SET ephemeral_bytes = length(data) WHERE kind IN ('agent.task.update', \
                     'agent.reasoning.delta', 'agent.computer.frame', 'agent.tool.call', 'world.touch', \
                     'node.activity', 'telemetry')";
        manager.run_sql(known).await?;
        Ok(())
    }
}
