//! The JSON of templates.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::check::{check_content, check_key};
use super::commands::Upgraded;
use super::entity::{link, version};
use super::image::TemplateImage;
use super::model::{Category, Content, PROFILES, Role, STACKS, Upgrade};
use super::store::{Listed, Template};
use crate::skills::RoleSkillRow;
use roost_agents::claws::ClawRow;
use roost_execution::topology::Kind;
use roost_machines::images::Need;
use roost_platform::ids::{ClawId, TemplateId, WorkspaceId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The origin of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TemplateSource {
    /// It comes with Roost.
    Builtin,
    /// The workspace created it.
    Workspace,
}

/// A role in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateRoleBrief {
    pub slot: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    pub summary: String,
    pub skills: Vec<String>,
}

/// A template in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamTemplateBrief {
    #[serde(flatten)]
    pub about: About,
    /// In the order of their work.
    pub roles: Vec<TemplateRoleBrief>,
}

impl TeamTemplateBrief {
    pub(super) fn new(from: Template, image: TemplateImage) -> Self {
        let about = About::new(&from, image);
        let roles = from.roles.into_iter().map(|role| TemplateRoleBrief {
            slot: role.slot,
            title: role.title,
            seat: role.seat,
            summary: role.summary,
            skills: role.skills,
        });
        Self {
            about,
            roles: roles.collect(),
        }
    }
}

/// The fields that both forms of a template share.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TeamTemplateAbout)]
pub struct About {
    pub id: TemplateId,
    /// Absent for a built-in template, which every workspace has.
    pub workspace_id: Option<WorkspaceId>,
    pub key: String,
    pub name: String,
    pub description: String,
    pub stack: String,
    pub default_topology: String,
    pub risk_profile: String,
    pub mcp_bundles: Vec<String>,
    pub category: Category,
    pub image: TemplateImage,
    /// What its agents need beside the tools of the image.
    pub needs: Vec<Need>,
    pub source: TemplateSource,
    /// The value for `If-Match`.
    pub version: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl About {
    fn new(from: &Template, image: TemplateImage) -> Self {
        let (row, mcp_bundles, needs) = (&from.row, from.bundles(), from.needs());
        Self {
            id: row.id,
            workspace_id: row.workspace_id,
            key: row.key.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            stack: row.stack.clone(),
            default_topology: row.default_topology.clone(),
            risk_profile: row.risk_profile.clone(),
            mcp_bundles,
            category: Category::from_stored(&row.category),
            image,
            needs,
            source: match row.workspace_id {
                None => TemplateSource::Builtin,
                Some(_) => TemplateSource::Workspace,
            },
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A template with its roles.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamTemplate {
    #[serde(flatten)]
    pub about: About,
    /// In the order of their work.
    pub roles: Vec<Role>,
    /// Skills that roles name but that do not exist.
    pub missing_skills: Vec<MissingSkill>,
}

/// A skill that a role names but that does not exist. It is skipped.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissingSkill {
    pub slot: String,
    pub name: String,
}

impl TeamTemplate {
    pub(super) fn new(from: Template, image: TemplateImage, bound: Vec<RoleSkillRow>) -> Self {
        let missing = bound.into_iter().filter(|row| row.skill_id.is_none());
        Self {
            about: About::new(&from, image),
            roles: from.roles,
            missing_skills: missing
                .map(|row| MissingSkill {
                    slot: row.role_slot,
                    name: row.skill_name,
                })
                .collect(),
        }
    }
}

/// A version of a template in its history.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateVersionBrief {
    pub version: i64,
    /// The hash of the content.
    pub sha256: String,
    /// Absent for versions that came with Roost, and when the user does not exist any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<UserBrief>,
    pub at: DateTime<Utc>,
}

impl TemplateVersionBrief {
    pub(super) fn new(row: Listed, author: Option<UserBrief>) -> Self {
        Self {
            version: row.version,
            sha256: row.sha256,
            author,
            at: row.at,
        }
    }
}

/// A complete version of a template.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateVersion {
    pub version: i64,
    pub at: DateTime<Utc>,
    pub content: Content,
}

impl TemplateVersion {
    pub(super) fn new(row: &version::Model) -> Result<Self, serde_json::Error> {
        Ok(Self {
            version: row.version,
            at: row.at,
            content: Content::from_stored(&row.content)?,
        })
    }
}

/// A new template of the workspace. With `from`, absent fields are copied from that template.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTemplate {
    /// Lower-case letters, digits and `_`, beginning with a letter, at most 40 characters. Unique among templates. It
    /// never changes.
    #[schema(min_length = 1, max_length = 40)]
    pub key: String,
    /// A template to copy.
    #[serde(default)]
    pub from: Option<TemplateId>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub stack: Option<String>,
    #[serde(default)]
    pub default_topology: Option<String>,
    #[serde(default)]
    pub risk_profile: Option<String>,
    #[serde(default)]
    pub mcp_bundles: Option<Vec<String>>,
    /// Development when absent.
    #[serde(default)]
    pub category: Option<Category>,
    /// As in a template's content.
    #[serde(default)]
    #[schema(max_length = 40)]
    pub image: Option<String>,
    #[serde(default)]
    pub needs: Option<Vec<Need>>,
    #[serde(default)]
    pub roles: Option<Vec<Role>>,
}

impl NewTemplate {
    /// The content of the template, or the fields that both the request and its source lack.
    pub(super) fn content(&self, source: Option<Content>) -> Result<Content, Vec<&'static str>> {
        let new = self.clone();
        let mut missing = Vec::new();
        let source = source.as_ref();
        let content = Content {
            name: or(new.name, source.map(|s| &s.name), "/name", &mut missing),
            description: new
                .description
                .or_else(|| source.map(|s| s.description.clone()))
                .unwrap_or_default(),
            stack: or(new.stack, source.map(|s| &s.stack), "/stack", &mut missing),
            default_topology: or(
                new.default_topology,
                source.map(|s| &s.default_topology),
                "/default_topology",
                &mut missing,
            ),
            risk_profile: or(
                new.risk_profile,
                source.map(|s| &s.risk_profile),
                "/risk_profile",
                &mut missing,
            ),
            mcp_bundles: or(
                new.mcp_bundles,
                source.map(|s| &s.mcp_bundles),
                "/mcp_bundles",
                &mut missing,
            ),
            category: new
                .category
                .or_else(|| source.map(|s| s.category))
                .unwrap_or_default(),
            image: new.image.or_else(|| source.and_then(|s| s.image.clone())),
            needs: new
                .needs
                .or_else(|| source.map(|s| s.needs.clone()))
                .unwrap_or_default(),
            roles: or(new.roles, source.map(|s| &s.roles), "/roles", &mut missing),
        };
        match missing.is_empty() {
            true => Ok(content),
            false => Err(missing),
        }
    }
}

fn or<T: Clone + Default>(
    new: Option<T>,
    source: Option<&T>,
    pointer: &'static str,
    missing: &mut Vec<&'static str>,
) -> T {
    new.or_else(|| source.cloned()).unwrap_or_else(|| {
        missing.push(pointer);
        T::default()
    })
}

impl Check for NewTemplate {
    fn check(&self, mistakes: &mut Mistakes) {
        check_key("/key", &self.key, mistakes);
        // Absent fields are checked later, when the source is known. Valid placeholders replace them here.
        let stand_in = Content {
            name: "x".to_owned(),
            description: String::new(),
            stack: STACKS[0].to_owned(),
            default_topology: Kind::Single.as_str().to_owned(),
            risk_profile: PROFILES[0].to_owned(),
            mcp_bundles: Vec::new(),
            category: Category::Development,
            image: None,
            needs: Vec::new(),
            roles: vec![Role {
                slot: "x".to_owned(),
                title: "x".to_owned(),
                seat: None,
                on_reject: None,
                back_to: None,
                summary: String::new(),
                system_prompt: "x".to_owned(),
                skills: Vec::new(),
                brain_seed: String::new(),
            }],
        };
        if let Ok(content) = self.content(Some(stand_in)) {
            check_content(&content, mistakes);
        }
    }
}

/// Filters for a list of templates.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TemplateQuery {
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only templates of this category.
    pub category: Option<Category>,
}

/// An agent that was made from a template.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateAgent {
    pub agent_id: ClawId,
    pub name: String,
    pub role_slot: String,
    /// The template version that the agent has.
    pub template_version: i64,
    /// Whether a newer version exists.
    pub behind: bool,
    /// What an upgrade would do.
    pub upgrade: Upgrade,
    /// When its brain got the seed of its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeded_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl TemplateAgent {
    pub(super) fn new(link: link::Model, agent: ClawRow, newest: i64, upgrade: Upgrade) -> Self {
        Self {
            agent_id: link.agent_id,
            name: agent.name,
            role_slot: link.role_slot,
            behind: link.template_version < newest,
            template_version: link.template_version,
            upgrade,
            seeded_at: link.seeded_at,
            created_at: link.created_at,
        }
    }
}

/// The agents to upgrade.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpgradeRequest {
    /// When absent, all agents with an older version are upgraded.
    #[serde(default)]
    pub agent_ids: Option<Vec<ClawId>>,
}

impl UpgradeRequest {
    pub(super) fn agents(self) -> Option<BTreeSet<ClawId>> {
        self.agent_ids.map(|ids| ids.into_iter().collect())
    }
}

impl Check for UpgradeRequest {
    fn check(&self, mistakes: &mut Mistakes) {
        if self
            .agent_ids
            .as_ref()
            .is_some_and(|ids| ids.is_empty() || ids.len() > 1_000)
        {
            mistakes.add(
                "/agent_ids",
                "must be 1 to 1000, or absent for all that are behind",
            );
        }
    }
}

/// The result of an upgrade.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpgradeReport {
    /// The newest version.
    pub version: i64,
    /// Agents that now have the newest version and its prompt.
    pub upgraded: Vec<UpgradedAgent>,
    /// Agents that were not changed, or only in part.
    pub kept: Vec<KeptAgent>,
}

/// An agent that was upgraded.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpgradedAgent {
    pub agent_id: ClawId,
    pub name: String,
    pub from_version: i64,
    /// Whether its prompt was replaced.
    pub prompt_replaced: bool,
}

/// An agent that was not changed, or only in part.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptAgent {
    pub agent_id: ClawId,
    pub name: String,
    pub from_version: i64,
    /// Whether the agent moved to the newest version, with the skills of its role there. Its prompt stays in each
    /// case.
    pub moved: bool,
    /// The reason, for people.
    pub why: String,
}

impl UpgradeReport {
    pub(super) fn new(version: i64, done: Vec<Upgraded>) -> Self {
        let (mut upgraded, mut kept) = (Vec::new(), Vec::new());
        for one in done {
            let (agent_id, name, from_version) = (one.agent.id, one.agent.name, one.from);
            let why = match one.what {
                Upgrade::None => continue,
                Upgrade::Replace | Upgrade::Same => {
                    upgraded.push(UpgradedAgent {
                        agent_id,
                        name,
                        from_version,
                        prompt_replaced: one.what == Upgrade::Replace,
                    });
                    continue;
                }
                Upgrade::KeepPrompt => {
                    "The agent's prompt was changed after its creation, so the upgrade keeps it. Compare it with the template's prompt and copy the changes that you want."
                }
                Upgrade::NoRole => {
                    "The new version has no role of this name, so the agent stays as it is."
                }
            };
            kept.push(KeptAgent {
                agent_id,
                name,
                from_version,
                moved: one.what.moves(),
                why: why.to_owned(),
            });
        }
        Self {
            version,
            upgraded,
            kept,
        }
    }
}
