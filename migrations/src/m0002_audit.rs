//! The audit log. Triggers make it append-only on both back ends. It has no foreign key, because it outlives its
//! workspace. `audit_chain` holds the hashes that one leased writer appends later.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create(
                Table::create()
                    .table("audit_entries")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(uuid("actor"))
                    .col(string("action"))
                    .col(string("entity_kind"))
                    .col(string("entity_id"))
                    .col(json_binary("details"))
                    .col(timestamp_with_time_zone("at"))
                    .to_owned(),
            )
            .await?;
        manager
            .index(
                Index::create()
                    .name("audit_entries_by_workspace")
                    .table("audit_entries")
                    .col("workspace_id")
                    .col("id")
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("audit_chain")
                    .col(big_integer("position").primary_key())
                    .col(uuid_uniq("entry_id"))
                    .col(string("previous_sha256"))
                    .col(string("sha256"))
                    .to_owned(),
            )
            .await?;
        let statements: &[&str] = match manager.get_database_backend() {
            DbBackend::Postgres => &[
                "CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ \
                 BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
                "CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries \
                 FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()",
                "CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain \
                 FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()",
            ],
            _ => &[
                "CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
                "CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
                "CREATE TRIGGER audit_chain_no_update BEFORE UPDATE ON audit_chain \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
                "CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
            ],
        };
        for statement in statements {
            manager.run_sql(statement).await?;
        }
        Ok(())
    }
}
