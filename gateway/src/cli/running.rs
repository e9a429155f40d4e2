//! Asks the running gateway whether a database beside it is its own.

use std::time::Duration;

use roost_cli::{AuditEnd, ClientArgs};
use roost_platform::db::Db;
use roost_tenancy::audit::{self, Noted};

/// The longest wait for the running gateway.
const PATIENCE: Duration = Duration::from_secs(10);

/// A sentence that says whether the database is that of the gateway that the person is signed in to. It may be a copy, or that
/// of another gateway: the audit log of the running gateway has a link that such a database lacks. `what` is the word for it.
/// A question that fails is told in the sentence too, because the work that it is about is done.
pub(super) async fn compared(db: &Db, what: &str, client: &ClientArgs) -> String {
    let asked = tokio::time::timeout(PATIENCE, ask(db, what, client));
    let said = match asked.await {
        Ok(Ok(said)) => said,
        Ok(Err(error)) => format!("Not compared with the running gateway: {error:#}."),
        Err(_) => "Not compared with the running gateway: it did not answer in time.".to_owned(),
    };
    said + "\n"
}

async fn ask(db: &Db, what: &str, client: &ClientArgs) -> anyhow::Result<String> {
    let Some(AuditEnd { gateway, end }) = roost_cli::audit_end(client).await? else {
        return Ok(format!(
            "No running gateway was asked whether this is its {what}: sign in with `roost login`."
        ));
    };
    let Some(end) = end else {
        return Ok(format!(
            "The audit log of the gateway at {gateway} has no link yet."
        ));
    };
    let link: Noted = end.parse().map_err(anyhow::Error::msg)?;
    Ok(match audit::has_link(db.read(), &link).await? {
        true => format!(
            "It is the {what} of the gateway at {gateway}, whose audit log ends at {end} now."
        ),
        false => format!(
            "It is NOT the {what} of the gateway at {gateway}, whose audit log ends at {end} now. This database has no such \
             link: it belongs to another gateway, or it is an older copy."
        ),
    })
}
