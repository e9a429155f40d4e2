//! A part of a statement of a higher wing: the person that a row names, joined. It saves that wing a statement of its own
//! for the names of people.

use sea_orm::{DbErr, QueryResult};

use super::UserBrief;

/// The columns of the joined person. [`brief_in`] reads them.
pub const BRIEF_COLUMNS: &str =
    "u.id AS u_id, u.email AS u_email, u.name AS u_name, u.avatar AS u_avatar";

/// Joins the person whose id the column `of` contains. A foreign key must guarantee the person.
pub fn joined_brief(of: &str) -> String {
    format!("JOIN users u ON u.id = {of}")
}

/// The joined person of a row.
///
/// # Errors
/// When the statement did not select [`BRIEF_COLUMNS`].
pub fn brief_in(row: &QueryResult) -> Result<UserBrief, DbErr> {
    Ok(UserBrief {
        id: row.try_get("u_", "id")?,
        email: row.try_get("u_", "email")?,
        name: row.try_get("u_", "name")?,
        avatar: row.try_get("u_", "avatar")?,
    })
}
