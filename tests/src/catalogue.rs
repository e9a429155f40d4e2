//! The built-in skills and templates in the databases that tests copy, as after a first start. A gateway that starts on a
//! copy has nothing to write.

use chrono::Utc;
use roost_organisation::{skills, templates};
use roost_platform::db::Db;

/// Writes them.
///
/// # Panics
/// When the database fails.
pub async fn load(db: &Db) {
    let tx = db.write().await.expect("a transaction");
    skills::load(&tx, Utc::now()).await.expect("skills");
    templates::load(&tx, Utc::now()).await.expect("templates");
    tx.commit().await.expect("the catalogue is stored");
}
