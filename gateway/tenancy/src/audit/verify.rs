//! Checking the whole chain while gateways continue to write.

use super::model::{Fault, Noted, Report, Walk};
use super::store;
use roost_platform::db::Db;

/// Links that one query reads.
const AT_ONCE: u64 = 1_000;
/// The most faults of one kind that are listed.
const MOST: u64 = 100;

/// Checks every link up to the present end, and that every entry has a link. `noted` is an earlier end of the chain
/// that was kept elsewhere: it shows whether the whole chain was rewritten since.
///
/// # Errors
/// When the database fails.
pub async fn verify(db: &Db, noted: Option<Noted>) -> Result<Report, sea_orm::DbErr> {
    let db = db.read();
    let end = store::end(db).await?;
    // Without a recorded end all links are checked. The missing record is a fault of its own.
    let up_to = end.as_ref().map_or(i64::MAX, |end| end.position);
    let mut walk = Walk::new(noted);
    let mut after = i64::MIN;
    loop {
        let links = store::links(db, after, up_to, AT_ONCE).await?;
        let Some((last, _)) = links.last() else { break };
        after = last.position;
        for (link, entry) in &links {
            walk.step(link, entry.as_ref());
        }
    }
    for entry in store::unlinked(db, MOST).await? {
        walk.fault(Fault::Unlinked { entry });
    }
    for entry in store::vanished(db, MOST).await? {
        walk.fault(Fault::Vanished { entry });
    }
    let waiting = store::waiting_count(db).await?;
    Ok(walk.end(end.as_ref(), waiting))
}
