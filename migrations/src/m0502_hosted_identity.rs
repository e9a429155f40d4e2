//! People whose identity an issuer confirms: their subject and last claims, the workspace of the claims, sign-ins under
//! way in a browser, and codes that sign in a terminal.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        people(manager).await?;
        home(manager).await?;
        manager
            .create(
                Table::create()
                    .table("hosted_sign_ins")
                    .col(string("state_sha256").primary_key())
                    .col(string("binding_sha256"))
                    .col(text("redirect_uri"))
                    .col(text("next"))
                    .col(string("from_address"))
                    .col(uuid_null("link_user"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("hosted_sign_ins", "link_user")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("login_codes")
                    .col(string("device_sha256").primary_key())
                    .col(string_uniq("code_sha256"))
                    .col(string("device"))
                    .col(string("from_address"))
                    .col(uuid_null("user_id"))
                    .col(uuid_null("workspace_id"))
                    .col(timestamp_with_time_zone_null("session_until"))
                    .col(timestamp_with_time_zone("expires_at"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("login_codes", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("login_codes", "workspace_id")
                            .to("workspaces", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await
    }
}

async fn people(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    // One column per statement: SQLite does not accept more.
    for column in [
        string_null("auth_subject"),
        string_null("hosted_role"),
        timestamp_with_time_zone_null("hosted_at"),
    ] {
        manager
            .alter(Table::alter().table("users").add_column(column).to_owned())
            .await?;
    }
    manager
        .index(
            Index::create()
                .name("users_by_auth_subject")
                .table("users")
                .col("auth_subject")
                .unique()
                .to_owned(),
        )
        .await
}

/// The first workspace of the deployment. It is stored, because after its deletion "the oldest workspace" would be
/// another tenant's.
async fn home(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create(
            Table::create()
                .table("home_workspace")
                .col(uuid("workspace_id").primary_key())
                .foreign_key(
                    ForeignKey::create()
                        .from("home_workspace", "workspace_id")
                        .to("workspaces", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
    let oldest = "INSERT INTO home_workspace (workspace_id) SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1";
    manager.run_sql(oldest).await?;
    Ok(())
}
