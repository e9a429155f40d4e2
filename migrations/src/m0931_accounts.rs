//! Accounts that change their address: which one is the deployment's Owner, and which ones operate by themselves. And the
//! pictures of people.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column in a statement.
        for column in [
            boolean("operates").default(false).take(),
            boolean("deployment_owner").default(false).take(),
            string_null("avatar"),
        ] {
            let add = Table::alter().table("users").add_column(column).to_owned();
            manager.alter(add).await?;
        }
        let owner = "UPDATE users SET deployment_owner = TRUE WHERE email = 'owner@roost.localhost' \
             AND email_by = 'deployment'";
        manager.run_sql(owner).await?;
        let pictures = Table::create()
            .table("user_avatars")
            .col(uuid("user_id").primary_key())
            .col(blob("png"))
            .col(timestamp_with_time_zone("at"))
            .foreign_key(
                ForeignKey::create()
                    .from("user_avatars", "user_id")
                    .to("users", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create(pictures).await
    }
}
