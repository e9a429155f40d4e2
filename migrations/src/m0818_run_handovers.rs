//! Runs that one gateway hands over to another one, because the other gateway holds the machine of a step.

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
                    .table("run_handovers")
                    .col(uuid("run_id").primary_key())
                    // The gateway that holds the machine.
                    .col(string("owner"))
                    // The epoch of the run that was handed over. Any later claim ends the hand-over.
                    .col(big_integer("epoch"))
                    // Until then no other gateway claims the run.
                    .col(big_integer("until_ms"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("run_handovers", "run_id")
                            .to("topology_runs", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await
    }
}
