//! The routine that launched a mission, because the journal of a routine forgets, and two indexes of missions.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter()
            .table("missions")
            .add_column(uuid_null("routine_id"))
            .to_owned();
        manager.alter(add).await?;
        manager.run_sql(EARLIER).await?;
        manager.run_sql(BY_ROUTINE).await?;
        manager.run_sql(BY_PERSON).await?;
        Ok(())
    }
}

const EARLIER: &str = "UPDATE missions SET routine_id = \
     (SELECT f.routine_id FROM routine_firings f WHERE f.mission_id = missions.id)";

const BY_ROUTINE: &str =
    "CREATE INDEX missions_of_routine ON missions (routine_id, id) WHERE routine_id IS NOT NULL";

/// For notices, which are about the newest missions of some people.
const BY_PERSON: &str = "CREATE INDEX missions_of_person ON missions (created_by, updated_at)";
