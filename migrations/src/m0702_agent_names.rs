//! Names of agents that are not deleted are unique in a workspace. Of existing agents with the same name, all but the
//! oldest get part of their id appended.

use sea_orm_migration::prelude::*;

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The last eight digits of an id are its random part. The first digits are the time, which agents of a team
        // share.
        let digits = match manager.get_database_backend() {
            sea_orm::DatabaseBackend::Postgres => "right(claws.id::text, 8)",
            _ => "lower(substr(hex(claws.id), 25, 8))",
        };
        let rename = format!(
            "UPDATE claws SET name = substr(name, 1, 90) || ' ' || {digits} \
             WHERE deleted_at IS NULL AND EXISTS (SELECT 1 FROM claws AS older \
             WHERE older.workspace_id = claws.workspace_id AND older.name = claws.name \
             AND older.deleted_at IS NULL AND older.id < claws.id)"
        );
        for sql in [
            rename.as_str(),
            "CREATE UNIQUE INDEX claws_by_name ON claws (workspace_id, name) WHERE deleted_at IS NULL",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
