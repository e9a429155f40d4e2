//! What each model was used for in a run, written when the journal of the run is deleted.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let kept = Table::create()
            .table("run_model_use")
            .col(uuid("run_id"))
            .col(text("model"))
            .col(big_integer("tokens_in"))
            .col(big_integer("tokens_out"))
            .col(big_integer("cost_microusd"))
            .col(big_integer("took_ms"))
            .primary_key(Index::create().col("run_id").col("model"))
            .foreign_key(
                ForeignKey::create()
                    .from("run_model_use", "run_id")
                    .to("topology_runs", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(kept).await
    }
}
