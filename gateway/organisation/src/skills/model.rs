//! The names and contents of skills, the binding of roles to skills, and the effective skills of an agent. Pure code.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::skill;
use roost_platform::ids::{SkillId, TemplateId, WorkspaceId, derived};

/// The longest body, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// The longest name, in characters.
pub const NAME: usize = 64;
/// The maximum number of a workspace's own skills.
pub const MOST_SKILLS: u64 = 1_000;
/// The number of versions of a skill that are kept. It limits the storage of one skill.
pub const KEPT: i64 = 200;
/// The maximum number of skills that are added or excluded for one agent. It limits the size of its set.
pub const MOST_CHOICES: usize = 200;
/// How many of a role's own skills are pinned besides the foundation skills.
const PINNED_OF_ROLE: usize = 2;

/// The origin of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillSourceKind)]
pub enum SourceKind {
    /// It comes with Roost.
    Builtin,
    /// A person wrote it.
    Authored,
    /// It was made from what an agent learned or a mission found.
    Promoted,
}

impl SourceKind {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Authored => "authored",
            Self::Promoted => "promoted",
        }
    }

    /// Parses the stored value. An unknown value of a newer gateway becomes `Authored`.
    pub fn from_stored(word: &str) -> Self {
        [Self::Builtin, Self::Promoted]
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .unwrap_or(Self::Authored)
    }
}

/// The visibility of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillVisibility)]
pub enum Visibility {
    /// All workspaces see it.
    Builtin,
    /// Its workspace sees it.
    Workspace,
}

impl Visibility {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Workspace => "workspace",
        }
    }
}

/// The source of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PromotedFrom {
    pub kind: Origin,
    /// The id of the agent, of the artifact, or of the agent whose brain is the source.
    #[schema(min_length = 1, max_length = 200)]
    pub id: String,
}

/// The kinds of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillOrigin)]
pub enum Origin {
    Agent,
    ResearchArtifact,
    BrainMemory,
}

/// The id of a built-in skill. It is the same in every deployment.
pub fn builtin_id(name: &str) -> SkillId {
    SkillId(derived(&["skill", name]))
}

/// The id of a workspace's own skill. A name always has the same id in a workspace, also after a deletion and a new
/// creation.
pub fn workspace_id(workspace: WorkspaceId, name: &str) -> SkillId {
    SkillId(derived(&["skill", name, &workspace.to_string()]))
}

/// Words of lower-case letters and digits with hyphens between. Names of skills and tags have this form.
pub fn is_slug(text: &str, most: usize) -> bool {
    text.len() <= most
        && text.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// A body in its stored form: one kind of line end, and no invisible characters. Joiners stay, because some scripts
/// need them.
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

/// A role's skill, as it is stored with the template version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub name: String,
    /// Absent when no skill had that name.
    pub skill: Option<SkillId>,
    pub pinned: bool,
    pub order: i32,
}

/// Binds the names of a role: foundation skills first, then the role's own in their order, each once. The foundation
/// skills and the first two existing skills of the role are pinned.
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
    /// The body of a pinned skill is in the agent's context. Of other skills the context has only the name and
    /// `when_to_use`, and the agent can read them.
    pub pinned: bool,
    pub order: i32,
    pub source: Source,
    /// The built-in skill that it replaces.
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
    /// It was added for this agent.
    Agent,
}

/// Why an agent does not get a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillSkippedWhy)]
pub enum Why {
    /// No skill has that name.
    Missing,
    /// It was deleted.
    Deleted,
    /// It is excluded for this agent.
    Excluded,
}

/// The role that gives an agent its skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SkillRole)]
pub struct Role {
    pub template_id: TemplateId,
    pub template_version: i64,
    pub role_slot: String,
}

/// The skills of an agent, and the skipped ones with the reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectiveSet {
    pub role: Option<Role>,
    /// In their order.
    pub items: Vec<EffectiveSkill>,
    /// Sorted by name.
    pub skipped: Vec<(String, Why)>,
}

/// Merges a role's skills with the choices for the agent. `rows` are all skills that are bound or chosen, and all
/// other skills of their names, with deleted ones. Names decide, so an exclusion applies both to a built-in skill and
/// to the one that replaces it.
pub fn merge(bound: &[Bound], choices: &[(SkillId, bool)], rows: &[skill::Model]) -> EffectiveSet {
    let by_id: HashMap<SkillId, &skill::Model> = rows.iter().map(|row| (row.id, row)).collect();
    // The workspace's own skills come last, so they replace built-in ones.
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

/// The action for a built-in skill when a gateway starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// It is new.
    Insert,
    /// Its body changed: it gets a new version.
    Version,
    /// Only its description changed.
    About,
    /// Nothing changed.
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
