//! Each marker has its row, so that it counts once. `kept` says whether it is shown with its task.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("mission_task_marks")
            .add_column(boolean("kept").default(true))
            .to_owned();
        manager.alter(add).await
    }
}
