//! The audit log in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::{chain, entry, head};
use super::model;
use super::store::{Action, Filter, Order};
use crate::auth::UserBrief;
use roost_platform::ids::{AuditId, UserId};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Mistakes;
use roost_web::pagination::{PageQuery, PageRequest};

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    pub id: AuditId,
    /// The user with whose authority the change was made.
    pub actor: UserId,
    /// That user, while the user exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UserBrief>,
    pub action: String,
    pub entity_kind: String,
    pub entity_id: String,
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
    pub at: DateTime<Utc>,
    /// The entry's place in the hash chain. A new entry has none for a short time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<AuditLink>,
}

/// A place in the hash chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditLink {
    pub position: i64,
    pub sha256: String,
    /// Whether the entry is unchanged since it was linked.
    pub intact: bool,
}

impl AuditEntry {
    /// From the row and what belongs to it.
    pub(super) fn new(
        row: entry::Model,
        by: Option<UserBrief>,
        link: Option<chain::Model>,
    ) -> Self {
        let link = link.map(|link| AuditLink {
            intact: model::fits(&link, &row),
            position: link.position,
            sha256: link.sha256,
        });
        Self {
            id: row.id,
            actor: row.actor,
            by,
            action: row.action,
            entity_kind: row.entity_kind,
            entity_id: row.entity_id,
            details: row.details,
            at: row.at,
            link,
        }
    }
}

/// The state of a workspace's log in the hash chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditChain {
    /// The number of entries of this workspace.
    pub entries: u64,
    /// How many of them have no link yet. They get one within a moment.
    pub waiting: u64,
    /// The last link of the chain, which all workspaces of the deployment share. Keep it elsewhere: it proves later
    /// that nothing before it was rewritten (`roost audit verify --noted`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<ChainEnd>,
}

/// The end of the chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainEnd {
    pub position: i64,
    pub sha256: String,
}

impl From<head::Model> for ChainEnd {
    fn from(row: head::Model) -> Self {
        Self {
            position: row.position,
            sha256: row.sha256,
        }
    }
}

/// The filters of a search. An entry must match all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// The user with whose authority the change was made.
    pub actor: Option<UserId>,
    /// An action (`claw.created`), or a group of actions (`claw.*`).
    pub action: Option<String>,
    /// The kind of the changed thing (`claw`).
    pub entity_kind: Option<String>,
    /// The id of the changed thing.
    pub entity_id: Option<String>,
    /// Entries at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Entries before this time.
    pub until: Option<DateTime<Utc>>,
    /// Newest first when it is absent.
    #[param(inline)]
    pub sort: Option<Order>,
}

impl AuditQuery {
    /// Checks the parameters.
    ///
    /// # Errors
    /// 400 that names the parameter.
    pub(super) fn check(self) -> ApiResult<(PageRequest, Filter)> {
        let paging = PageQuery {
            limit: self.limit,
            cursor: self.cursor,
        };
        let request = paging.check()?;
        let mut mistakes = Mistakes::default();
        for (name, value) in [
            ("entity_kind", &self.entity_kind),
            ("entity_id", &self.entity_id),
        ] {
            if let Some(value) = value {
                mistakes.text(name, value, 1, 200);
            }
        }
        mistakes.done()?;
        if let (Some(from), Some(until)) = (self.from, self.until)
            && until <= from
        {
            return Err(ApiError::validation("until", "must be later than `from`"));
        }
        let filter = Filter {
            actor: self.actor,
            action: self.action.as_deref().map(action).transpose()?,
            entity_kind: self.entity_kind,
            entity_id: self.entity_id,
            from: self.from,
            until: self.until,
            order: self.sort.unwrap_or_default(),
        };
        Ok((request, filter))
    }
}

/// Accepts only letters that actions have, so special characters of the database's patterns are refused.
fn action(text: &str) -> ApiResult<Action> {
    let (name, family) = match text.strip_suffix(".*") {
        Some(family) => (family, true),
        None => (text, false),
    };
    let plain =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
        return Err(ApiError::validation(
            "action",
            "must be an action such as `claw.created`, or a family of them such as `claw.*`",
        ));
    }
    Ok(if family {
        Action::BeginningWith(format!("{name}."))
    } else {
        Action::Exactly(name.to_owned())
    })
}
