//! Connections of apps: sign-ins under way, their results, and credentials that the broker must delete.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(oauth_states()).await?;
        manager.create(app_connections()).await?;
        manager.create(credential_deletions()).await?;
        for sql in [
            "CREATE INDEX oauth_states_by_end ON oauth_states (expires_at)",
            "CREATE UNIQUE INDEX app_connections_by_agent ON app_connections (agent_id, provider)",
            "CREATE INDEX app_connections_by_workspace ON app_connections (workspace_id, id)",
            "CREATE INDEX credential_deletions_due ON credential_deletions (due_at)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}

fn oauth_states() -> TableCreateStatement {
    Table::create()
        .table("oauth_states")
        .col(string("state").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("user_id"))
        .col(uuid("agent_id"))
        .col(string("provider"))
        .col(string("auth_type"))
        .col(string("issuer_url"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(&mut to("oauth_states", "workspace_id", "workspaces"))
        .foreign_key(&mut to("oauth_states", "user_id", "users"))
        .foreign_key(&mut to("oauth_states", "agent_id", "claws"))
        .to_owned()
}

fn app_connections() -> TableCreateStatement {
    Table::create()
        .table("app_connections")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid_null("agent_id"))
        .col(string("provider"))
        .col(string("auth_type"))
        .col(string("issuer_url"))
        .col(string("secret_ref"))
        .col(uuid("connected_by"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(
            ForeignKey::create()
                .from("app_connections", "workspace_id")
                .to("workspaces", "id"),
        )
        .foreign_key(
            ForeignKey::create()
                .from("app_connections", "agent_id")
                .to("claws", "id"),
        )
        .to_owned()
}

/// No foreign key: the row outlives its subject.
fn credential_deletions() -> TableCreateStatement {
    Table::create()
        .table("credential_deletions")
        .col(string("tenant"))
        .col(string("connection"))
        .col(timestamp_with_time_zone("due_at"))
        .col(integer("attempts"))
        .primary_key(Index::create().col("tenant").col("connection"))
        .to_owned()
}

/// Deleting the subject of a sign-in also deletes the sign-in.
fn to(table: &'static str, column: &'static str, other: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to(other, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
