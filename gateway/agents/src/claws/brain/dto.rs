//! Brains in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Cause;
use super::entity::brain;
use super::store::Listed;
use roost_platform::ids::UserId;
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The longest text of a brain, in characters.
pub const MOST_CHARACTERS: usize = 100_000;

/// A brain, or a version of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Brain {
    /// Markdown. Empty if nothing was written yet.
    pub agent_md: String,
    /// The version of this text; 0 if nothing was written yet.
    #[serde(flatten)]
    pub about: BrainVersion,
}

/// A version of a brain without its text.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct BrainVersion {
    /// For `If-Match`. Counts from 1; 0 if nothing was written yet.
    pub version: i64,
    pub bytes: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The earlier version that was restored, if this version is a restore.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
    /// The user with whose authority it was written, while the user exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<UserBrief>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<Utc>>,
}

impl BrainVersion {
    /// From the row and its author.
    pub(super) fn new(row: Listed, author: Option<UserBrief>) -> Self {
        Self {
            version: row.version,
            bytes: row.bytes,
            cause: Some(Cause::from_stored(&row.cause)),
            restored_from: row.restored_from,
            author,
            at: Some(row.at),
        }
    }
}

impl Brain {
    /// From the row, if there is one, and its author.
    pub(super) fn new(row: Option<brain::Model>, author: Option<UserBrief>) -> Self {
        let Some(row) = row else {
            return Self {
                agent_md: String::new(),
                about: BrainVersion::default(),
            };
        };
        let (agent_md, listed) = split(row);
        Self {
            agent_md,
            about: BrainVersion::new(listed, author),
        }
    }
}

fn split(row: brain::Model) -> (String, Listed) {
    let listed = Listed {
        version: row.version,
        bytes: row.bytes,
        cause: row.cause,
        restored_from: row.restored_from,
        author: row.author,
        at: row.at,
    };
    (row.agent_md, listed)
}

/// The author's id, for the lookup of the user.
pub(super) fn author(row: Option<&brain::Model>) -> Option<UserId> {
    row.map(|row| row.author)
}

/// A new text of the brain.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BrainText {
    /// Markdown, at most 100,000 characters.
    #[schema(max_length = 100_000)]
    pub agent_md: String,
}

impl Check for BrainText {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/agent_md", &self.agent_md, 0, MOST_CHARACTERS);
    }
}
