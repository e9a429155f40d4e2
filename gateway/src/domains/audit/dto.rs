//! The audit log in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::{chain, entry, head};
use super::model;
use super::store::{Action, Filter};
use crate::domains::auth::dto::UserBrief;
use crate::error::{ApiError, ApiResult};
use crate::http::json::Mistakes;
use crate::http::pagination::{PageQuery, PageRequest};
use crate::ids::{AuditId, UserId};

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    pub id: AuditId,
    /// The user on whose authority it happened.
    pub actor: UserId,
    /// Who that is, while there is such a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UserBrief>,
    pub action: String,
    pub entity_kind: String,
    pub entity_id: String,
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
    pub at: DateTime<Utc>,
    /// Its place in the hash chain; absent for the moment until it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<AuditLink>,
}

/// A place in the hash chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditLink {
    pub position: i64,
    pub sha256: String,
    /// Whether the entry is still what was linked.
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

/// How the log of a workspace stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditChain {
    /// Entries of this workspace.
    pub entries: u64,
    /// Those of them that have no link yet; a moment later they have.
    pub waiting: u64,
    /// The last link of the chain, which all workspaces of the deployment share. Noted elsewhere, it proves later that
    /// nothing before it was rewritten (`roost audit verify --noted`).
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

/// What to look for; all that is given must fit.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// The user on whose authority it happened.
    pub actor: Option<UserId>,
    /// An action (`claw.created`), or a family of them (`claw.*`).
    pub action: Option<String>,
    /// What kind of thing it was done to (`claw`).
    pub entity_kind: Option<String>,
    /// The id of the thing it was done to.
    pub entity_id: Option<String>,
    /// Not before this moment.
    pub from: Option<DateTime<Utc>>,
    /// Before this moment.
    pub until: Option<DateTime<Utc>>,
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
        };
        Ok((request, filter))
    }
}

/// Only the letters of actions: what is special in a pattern of the database is none of them.
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
