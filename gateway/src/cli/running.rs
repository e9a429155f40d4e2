//! Asks the running gateway whether a database beside it is its own.

use roost_cli::{AuditEnd, ClientArgs};
use roost_platform::db::Db;
use roost_tenancy::audit::{self, Noted};

/// Sentences that say whether the database is that of the gateway that the person is signed in to. It may be a copy, or that
/// of another gateway: the audit log of the running gateway has a link that such a database lacks. `what` is the word for it.
///
/// # Errors
/// When the database fails.
pub(super) async fn compared(db: &Db, what: &str, client: &ClientArgs) -> anyhow::Result<String> {
    let AuditEnd { gateway, end } = match roost_cli::audit_end(client).await {
        Ok(Some(found)) => found,
        Ok(None) => {
            return Ok(format!(
                "No running gateway was asked whether this is its {what}: sign in with `roost login`.\n"
            ));
        }
        Err(error) => {
            return Ok(format!(
                "Not compared with the running gateway: {error:#}.\n"
            ));
        }
    };
    let Some(end) = end else {
        return Ok(format!(
            "The audit log of the gateway at {gateway} has no link yet.\n"
        ));
    };
    let link: Noted = end.parse().map_err(anyhow::Error::msg)?;
    Ok(match audit::has_link(db.read(), &link).await? {
        true => format!(
            "It is the {what} of the gateway at {gateway}, whose audit log ends at {end} now.\n"
        ),
        false => format!(
            "It is NOT the {what} of the gateway at {gateway}, whose audit log ends at {end} now. This database has no such \
             link: it belongs to another gateway, or it is an older copy.\n"
        ),
    })
}
