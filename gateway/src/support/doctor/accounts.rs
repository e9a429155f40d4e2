//! The doctor's check of accounts with an e-mail address that is not vouched for.

use roost_protocol::verify::Check;
use sea_orm::{DatabaseConnection, DbErr};
use secrecy::ExposeSecret;

use super::{ok, warn};
use crate::config::Config;
use roost_platform::db::read_only;
use roost_tenancy::auth;

const NAME: &str = "accounts";
const TITLE: &str = "Accounts";

/// Returns no check when the database cannot be read. The check of the database reports the reason.
pub(super) async fn accounts(config: &Config) -> Vec<Check> {
    let Ok(db) = read_only(config.database_url.expose_secret()).await else {
        return Vec::new();
    };
    let checks = check_accounts(&db, config).await;
    let _ = db.close().await;
    checks.unwrap_or_default()
}

async fn check_accounts(db: &DatabaseConnection, config: &Config) -> Result<Vec<Check>, DbErr> {
    let mut checks = Vec::new();
    let operators = auth::unvouched_among(db, &config.operators).await?;
    if !operators.is_empty() {
        checks.push(warn(
            NAME,
            TITLE,
            format!(
                "{} is in `operators`, but the owner of the account typed the address and no one verified it, so the account is \
                 not an operator: `roost operator grant` makes it one",
                operators.join(", ")
            ),
        ));
    }
    let linked = auth::linked_with_own_password(db).await?;
    if !linked.is_empty() {
        checks.push(warn(
            NAME,
            TITLE,
            format!(
                "{} signs in by the issuer and also by a password that was set before the address was verified: ask the person. \
                 `roost one-time --email ADDRESS` lets them set a new password, which ends the old one and its sessions",
                linked.join(", ")
            ),
        ));
    }
    if checks.is_empty() {
        checks.push(ok(
            NAME,
            TITLE,
            "no operator and no linked account depends on an unverified address",
        ));
    }
    Ok(checks)
}
