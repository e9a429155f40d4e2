//! When a model has to write the narrative of a summary card, how often it was asked, why it did not, and what it cost.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            big_integer_null("narrative_due_ms"),
            integer("narrative_tries").default(0).take(),
            text_null("narrative_error"),
            big_integer("narrative_cost_microusd").default(0).take(),
        ];
        // SQLite adds one column in a statement.
        for column in columns {
            let add = Table::alter()
                .table("mission_phase_cards")
                .add_column(column)
                .to_owned();
            manager.alter(add).await?;
        }
        // The worker looks for due cards every few seconds, and few are due.
        manager
            .run_sql(
                "CREATE INDEX mission_phase_cards_due ON mission_phase_cards (narrative_due_ms) \
             WHERE narrative_due_ms IS NOT NULL",
            )
            .await?;
        Ok(())
    }
}
