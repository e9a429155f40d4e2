//! The JSON of skills.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::{skill, version};
use super::model::{BODY_BYTES, NAME, PromotedFrom, SourceKind, Visibility, clean_body, is_slug};
use super::store::{Filter, Listed};
use roost_platform::ids::SkillId;
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// A skill in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillBrief {
    pub id: SkillId,
    /// The name that agents and templates use.
    pub name: String,
    pub title: String,
    /// The occasion to use it. Agents decide by this text whether to read the skill.
    pub when_to_use: String,
    pub tags: Vec<String>,
    pub source_kind: SourceKind,
    pub visibility: Visibility,
    /// Every role has it.
    pub foundation: bool,
    /// The value for `If-Match`.
    pub current_version: i64,
    /// The other skill of this name. For a built-in skill it is the workspace's own skill that replaces it. For a
    /// workspace's own skill it is the built-in one that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namesake: Option<SkillId>,
    pub updated_at: DateTime<Utc>,
}

/// A skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct Skill {
    #[serde(flatten)]
    pub about: SkillBrief,
    /// Markdown.
    pub body: String,
    pub created_at: DateTime<Utc>,
}

impl SkillBrief {
    /// From the row, and the other row of the same name.
    pub(super) fn new(row: &skill::Model, namesake: Option<SkillId>) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            when_to_use: row.when_to_use.clone(),
            tags: tags(&row.tags),
            source_kind: SourceKind::from_stored(&row.source_kind),
            visibility: match row.workspace_id {
                None => Visibility::Builtin,
                Some(_) => Visibility::Workspace,
            },
            foundation: row.foundation,
            current_version: row.current_version,
            namesake,
            updated_at: row.updated_at,
        }
    }
}

/// Only the gateway writes them.
fn tags(stored: &str) -> Vec<String> {
    serde_json::from_str(stored).unwrap_or_default()
}

/// A version of a skill in its history.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillVersionBrief {
    pub version: i64,
    pub title: String,
    /// The source from which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted_from: Option<PromotedFrom>,
    /// The version that was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
    /// Absent for skills that came with Roost, and when the user does not exist any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<UserBrief>,
    pub at: DateTime<Utc>,
}

impl SkillVersionBrief {
    pub(super) fn new(row: Listed, author: Option<UserBrief>) -> Self {
        Self {
            version: row.version,
            title: row.title,
            promoted_from: row
                .promoted_from
                .and_then(|from| serde_json::from_value(from).ok()),
            restored_from: row.restored_from,
            author,
            at: row.at,
        }
    }
}

/// A version of a skill with its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillVersion {
    #[serde(flatten)]
    pub about: SkillVersionBrief,
    pub when_to_use: String,
    pub tags: Vec<String>,
    pub body: String,
}

impl SkillVersion {
    pub(super) fn new(row: version::Model, author: Option<UserBrief>) -> Self {
        let listed = Listed {
            version: row.version,
            title: row.title,
            promoted_from: row.promoted_from,
            restored_from: row.restored_from,
            author: row.author,
            at: row.at,
        };
        Self {
            about: SkillVersionBrief::new(listed, author),
            when_to_use: row.when_to_use,
            tags: tags(&row.tags),
            body: row.body,
        }
    }
}

/// The content of a skill.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillText {
    /// 1 to 120 characters.
    #[schema(min_length = 1, max_length = 120)]
    pub title: String,
    /// One line, 1 to 300 characters.
    #[schema(min_length = 1, max_length = 300)]
    pub when_to_use: String,
    /// At most 8 words of lower-case letters, digits and hyphens.
    #[serde(default)]
    #[schema(max_items = 8)]
    pub tags: Vec<String>,
    /// Markdown, at most 65,536 bytes. The gateway converts line ends to `\n` and removes invisible characters.
    #[serde(deserialize_with = "cleaned")]
    pub body: String,
    /// The source from which it was made. For an agent or a brain, the id of the agent.
    #[serde(default)]
    pub promoted_from: Option<PromotedFrom>,
}

fn cleaned<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|body| clean_body(&body))
}

impl SkillText {
    pub(super) fn tags_json(&self) -> String {
        serde_json::json!(self.tags).to_string()
    }

    pub(super) fn of_version(row: version::Model) -> Self {
        Self {
            title: row.title,
            when_to_use: row.when_to_use,
            tags: tags(&row.tags),
            body: row.body,
            promoted_from: None,
        }
    }
}

impl Check for SkillText {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/title", &self.title, 120);
        mistakes.name("/when_to_use", &self.when_to_use, 300);
        if self.body.trim().is_empty() || self.body.len() > BODY_BYTES {
            mistakes.add("/body", format!("must have 1 to {BODY_BYTES} bytes"));
        }
        if self.tags.len() > 8 {
            mistakes.add("/tags", "must be at most 8");
        }
        for (index, tag) in self.tags.iter().enumerate() {
            if !is_slug(tag, 40) {
                let pointer = format!("/tags/{index}");
                mistakes.add(
                    &pointer,
                    "must be words of lower-case letters and digits with hyphens between",
                );
            }
        }
        if let Some(from) = &self.promoted_from {
            mistakes.text("/promoted_from/id", &from.id, 1, 200);
        }
    }
}

/// A new skill of the workspace.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSkill {
    /// The name that agents and templates use. It never changes. Words of lower-case letters and digits with hyphens
    /// between.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// When a built-in skill has the same name: whether this skill replaces it in this workspace, everywhere the name
    /// is used.
    #[serde(default)]
    pub in_place_of_builtin: bool,
    /// 1 to 120 characters.
    #[schema(min_length = 1, max_length = 120)]
    pub title: String,
    /// One line, 1 to 300 characters.
    #[schema(min_length = 1, max_length = 300)]
    pub when_to_use: String,
    /// At most 8 words of lower-case letters, digits and hyphens.
    #[serde(default)]
    #[schema(max_items = 8)]
    pub tags: Vec<String>,
    /// Markdown, at most 65,536 bytes. The gateway converts line ends to `\n` and removes invisible characters.
    #[serde(deserialize_with = "cleaned")]
    pub body: String,
    /// The source from which it was made. For an agent or a brain, the id of the agent.
    #[serde(default)]
    pub promoted_from: Option<PromotedFrom>,
}

impl NewSkill {
    /// The content.
    pub(super) fn text(&self) -> SkillText {
        let new = self.clone();
        SkillText {
            title: new.title,
            when_to_use: new.when_to_use,
            tags: new.tags,
            body: new.body,
            promoted_from: new.promoted_from,
        }
    }
}

impl Check for NewSkill {
    fn check(&self, mistakes: &mut Mistakes) {
        if !is_slug(&self.name, NAME) {
            mistakes.add(
                "/name",
                format!("must be words of lower-case letters and digits with hyphens between, {NAME} characters at most"),
            );
        }
        self.text().check(mistakes);
    }
}

/// Filters for skills. A skill must match all of them.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SkillQuery {
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Text in the name, the title, `when_to_use` or the tags.
    pub q: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
}

impl SkillQuery {
    pub(super) fn filter(&self, mistakes: &mut Mistakes) -> Filter {
        for (name, value) in [("q", &self.q), ("tag", &self.tag)] {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                mistakes.text(name, value, 1, 100);
            }
        }
        let given = |value: &Option<String>| {
            let value = value.as_ref().map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        Filter {
            text: given(&self.q),
            tag: given(&self.tag),
        }
    }
}

/// A choice for an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillChoice {
    /// `true` adds the skill. `false` excludes it, even if the role has it.
    pub include: bool,
}

impl Check for SkillChoice {
    fn check(&self, _: &mut Mistakes) {}
}
