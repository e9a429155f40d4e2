//! What a skill may be called and hold, how roles are bound to skills, and what an agent has in the end. Pure.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::skill;
use crate::ids::{SkillId, TemplateId, WorkspaceId, derived};

/// The longest body, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// The longest name, in characters.
pub const NAME: usize = 64;
/// Skills of its own that a workspace may have.
pub const MOST_SKILLS: u64 = 1_000;
/// Versions of a skill that are kept: a bound to what one skill may fill.
pub const KEPT: i64 = 200;
/// Skills that can be chosen for one agent, added or excluded: a bound to what its set may hold.
pub const MOST_CHOICES: usize = 200;
/// Of a role's own skills, how many are pinned beside the foundation skills.
const PINNED_OF_ROLE: usize = 2;

/// Where a skill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillSourceKind)]
pub enum SourceKind {
    /// With Roost.
    Builtin,
    /// Somebody wrote it.
    Authored,
    /// It was made of what an agent learned or a mission found.
    Promoted,
}

impl SourceKind {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Authored => "authored",
            Self::Promoted => "promoted",
        }
    }

    /// Reads the word of the database; one of a newer gateway is shown as written by somebody.
    pub fn from_stored(word: &str) -> Self {
        [Self::Builtin, Self::Promoted]
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .unwrap_or(Self::Authored)
    }
}

/// Who sees a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillVisibility)]
pub enum Visibility {
    /// Everybody.
    Builtin,
    /// The workspace.
    Workspace,
}

impl Visibility {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Workspace => "workspace",
        }
    }
}

/// What a version was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PromotedFrom {
    pub kind: Origin,
    /// The id of the agent, of the artifact, or of the agent whose brain it was.
    #[schema(min_length = 1, max_length = 200)]
    pub id: String,
}

/// What a skill can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillOrigin)]
pub enum Origin {
    Agent,
    ResearchArtifact,
    BrainMemory,
}

/// The id of a built-in skill: the same in every deployment.
pub fn builtin_id(name: &str) -> SkillId {
    SkillId(derived(&["skill", name]))
}

/// The id of a workspace's own skill: a name is one skill there, also after it was deleted and made again.
pub fn workspace_id(workspace: WorkspaceId, name: &str) -> SkillId {
    SkillId(derived(&["skill", name, &workspace.to_string()]))
}

/// Words of lower-case letters and digits with hyphens between: names of skills, tags.
pub fn is_slug(text: &str, most: usize) -> bool {
    text.len() <= most
        && text.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// A body as it is stored: one kind of line end, and nothing that is there without being seen. Joiners stay, since
/// scripts need them.
pub fn clean_body(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut before = ' ';
    for c in body.chars() {
        match c {
            '\n' if before == '\r' => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' | '\u{200c}' | '\u{200d}' => out.push(c),
            c if roost_protocol::text::is_hidden(c) => {}
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// A role's skill, as it is stored with the version of the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub name: String,
    /// None where there was no skill of that name.
    pub skill: Option<SkillId>,
    pub pinned: bool,
    pub order: i32,
}

/// Binds the names of a role: foundation skills first, then the role's own in their order, each once. Pinned are the
/// foundation skills and the first two of the role's own that are there.
pub fn bind(
    foundation: &[String],
    own: &[String],
    find: impl Fn(&str) -> Option<SkillId>,
) -> Vec<Bound> {
    let mut bound: Vec<Bound> = Vec::new();
    let mut pinned = 0;
    for (name, is_own) in foundation
        .iter()
        .map(|name| (name, false))
        .chain(own.iter().map(|name| (name, true)))
    {
        if bound.iter().any(|earlier| earlier.name == *name) {
            continue;
        }
        let skill = find(name);
        let pin = skill.is_some() && (!is_own || pinned < PINNED_OF_ROLE);
        pinned += usize::from(pin && is_own);
        bound.push(Bound {
            name: name.clone(),
            skill,
            pinned: pin,
            order: i32::try_from(bound.len()).unwrap_or(i32::MAX),
        });
    }
    bound
}

/// A skill that an agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSkill {
    pub id: SkillId,
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub version: i64,
    pub body: String,
    /// Its body is in the agent's context; of others only the name is, and the agent may read them.
    pub pinned: bool,
    pub order: i32,
    pub source: Source,
    /// The built-in skill in whose place it stands.
    pub in_place_of: Option<SkillId>,
}

/// Why an agent has a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillSource)]
pub enum Source {
    /// Every role has it.
    Foundation,
    /// Its role has it.
    Role,
    /// It was added to this agent.
    Agent,
}

/// Why a skill that the agent should have is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillSkippedWhy)]
pub enum Why {
    /// There is no skill of that name.
    Missing,
    /// It was deleted.
    Deleted,
    /// It is excluded for this agent.
    Excluded,
}

/// The role whose skills an agent has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SkillRole)]
pub struct Role {
    pub template_id: TemplateId,
    pub template_version: i64,
    pub role_slot: String,
}

/// What an agent has, and what not, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectiveSet {
    pub role: Option<Role>,
    /// In their order.
    pub items: Vec<EffectiveSkill>,
    /// By name.
    pub skipped: Vec<(String, Why)>,
}

/// Merges a role's skills with the choices for the agent. `rows` are all skills that are bound or chosen, and all others of
/// their names, deleted ones too. Everything goes by name, so that an exclusion hits a built-in skill and the one in its
/// place alike.
pub fn merge(bound: &[Bound], choices: &[(SkillId, bool)], rows: &[skill::Model]) -> EffectiveSet {
    let by_id: HashMap<SkillId, &skill::Model> = rows.iter().map(|row| (row.id, row)).collect();
    // The workspace's own come last and so take the place of built-in ones.
    let mut living: Vec<&skill::Model> =
        rows.iter().filter(|row| row.deleted_at.is_none()).collect();
    living.sort_by_key(|row| row.workspace_id.is_some());
    let by_name: HashMap<&str, &skill::Model> =
        living.iter().map(|row| (row.name.as_str(), *row)).collect();
    let builtin: HashMap<&str, &skill::Model> = living
        .iter()
        .filter(|row| row.workspace_id.is_none())
        .map(|row| (row.name.as_str(), *row))
        .collect();
    let chosen = |include: bool| {
        choices
            .iter()
            .filter(move |(_, wanted)| *wanted == include)
            .filter_map(|(id, _)| by_id.get(id).copied())
    };
    let excluded: HashSet<&str> = chosen(false).map(|row| row.name.as_str()).collect();
    let mut defaults: Vec<&Bound> = bound.iter().collect();
    defaults.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
    let mut added: Vec<&skill::Model> = chosen(true).collect();
    added.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));

    let mut items: Vec<EffectiveSkill> = Vec::new();
    let mut skipped: BTreeSet<(String, Why)> = BTreeSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut last = -1;
    let role = defaults
        .into_iter()
        .map(|one| (one.name.as_str(), one.skill, Some((one.pinned, one.order))));
    let more = added
        .into_iter()
        .map(|row| (row.name.as_str(), Some(row.id), None));
    for (name, id, default) in role.chain(more) {
        if !seen.insert(name) {
            continue;
        }
        if excluded.contains(name) {
            skipped.insert((name.to_owned(), Why::Excluded));
            continue;
        }
        let Some(row) = by_name.get(name) else {
            let why = if id.is_some() {
                Why::Deleted
            } else {
                Why::Missing
            };
            skipped.insert((name.to_owned(), why));
            continue;
        };
        let behind = builtin.get(name);
        let (pinned, order) = default.unwrap_or((false, last + 1));
        last = last.max(order);
        items.push(EffectiveSkill {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            when_to_use: row.when_to_use.clone(),
            version: row.current_version,
            body: row.body.clone(),
            pinned,
            order,
            source: match default {
                None => Source::Agent,
                Some(_) if behind.is_some_and(|row| row.foundation) => Source::Foundation,
                Some(_) => Source::Role,
            },
            in_place_of: behind.map(|behind| behind.id).filter(|id| *id != row.id),
        });
    }
    EffectiveSet {
        role: None,
        items,
        skipped: skipped.into_iter().collect(),
    }
}

/// What becomes of a built-in skill when a gateway starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// It is new.
    Insert,
    /// Its body is another one: a version more.
    Version,
    /// Only what is said about it is different.
    About,
    /// Everything is as it was.
    Same,
}

/// Compares a text of this program with its row.
pub fn loading(present: Option<&skill::Model>, text: &skill::Model) -> Loading {
    let Some(present) = present else {
        return Loading::Insert;
    };
    let about = |row: &skill::Model| {
        (
            row.title.clone(),
            row.when_to_use.clone(),
            row.tags.clone(),
            row.foundation,
        )
    };
    if present.body != text.body {
        Loading::Version
    } else if about(present) != about(text) {
        Loading::About
    } else {
        Loading::Same
    }
}

#[cfg(test)]
mod tests;
