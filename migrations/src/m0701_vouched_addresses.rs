//! Who confirms an account's e-mail address: the deployment, the issuer, or only the person who typed it. Grants and
//! links follow an address only when the deployment or the issuer confirms it.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter(
                Table::alter()
                    .table("users")
                    .add_column(string("email_by").default("person"))
                    .to_owned(),
            )
            .await?;
        for sql in [
            // The deployment made these accounts, or an operator granted them operator rights on its host.
            "UPDATE users SET email_by = 'deployment' WHERE email IN ('system', 'owner@roost.localhost') \
             OR email IN (SELECT email FROM operator_grants)",
            // Accounts that a verified identity made. Accounts that also have a password were made here first.
            "UPDATE users SET email_by = 'issuer' WHERE auth_subject IS NOT NULL AND password_hash IS NULL \
             AND email NOT LIKE '%@hosted.invalid'",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}
