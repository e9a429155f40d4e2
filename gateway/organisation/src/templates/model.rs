//! The content of a template, and the effect of an upgrade on an agent. Pure code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use roost_execution::tools::{Bundle, Grant, Profile, effective};
use roost_execution::topology::OnReject;
use roost_machines::images::{Need, Wanted};
use roost_platform::ids::{TemplateId, derived};

/// The technologies that a template may be for.
pub const STACKS: [&str; 8] = [
    "rust", "polyglot", "web", "mobile", "gpu", "threejs", "research", "any",
];
/// The profiles of its agents.
pub const PROFILES: [&str; 3] = ["toolfree", "research_readonly", "coding_readwrite"];
/// The tool bundles of its agents.
pub const BUNDLES: [&str; 4] = ["door", "skills", "sandbox", "repo"];
/// The seats that a role may have in the topology.
pub const SEATS: [&str; 6] = ["hub", "gate", "expert", "spoke", "lead", "member"];

/// The maximum number of roles in a template.
pub const MOST_ROLES: usize = 40;
/// The maximum number of skills that a role names.
pub const MOST_ROLE_SKILLS: usize = 30;
/// The maximum number of a workspace's own templates.
pub const MOST_TEMPLATES: u64 = 200;
/// The maximum number of versions of a workspace's template. All are kept, because agents were made from them.
pub const MOST_VERSIONS: i64 = 500;

/// The kind of work that a template is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TemplateCategory)]
pub enum Category {
    Research,
    #[default]
    Development,
    Security,
    Ops,
}

impl Category {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Development => "development",
            Self::Security => "security",
            Self::Ops => "ops",
        }
    }

    /// Parses the stored value. An unknown value of a newer gateway becomes `Development`.
    pub fn from_stored(word: &str) -> Self {
        [Self::Research, Self::Security, Self::Ops]
            .into_iter()
            .find(|category| category.as_str() == word)
            .unwrap_or_default()
    }
}

/// A complete version of a template, as it is stored, hashed and copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TemplateContent)]
pub struct Content {
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// A text that helps people to choose a template, at most 1,000 characters.
    #[schema(max_length = 1000)]
    pub description: String,
    /// rust, polyglot, web, mobile, gpu, threejs, research or any.
    pub stack: String,
    /// single, pipeline, hub_spoke, hierarchical or star_moe.
    pub default_topology: String,
    /// toolfree, research_readonly or coding_readwrite.
    pub risk_profile: String,
    /// Any of door, skills, sandbox, repo.
    pub mcp_bundles: Vec<String>,
    #[serde(default)]
    pub category: Category,
    /// The image of its agents' sandboxes: a name of the catalogue (`/api/images`). The deployment's default image
    /// when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 40)]
    pub image: Option<String>,
    /// What its agents need beside the tools of the image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// 1 to 40, in the order of their work.
    #[schema(min_items = 1, max_items = 40)]
    pub roles: Vec<Role>,
}

/// A role of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TemplateRole)]
pub struct Role {
    /// Lower-case letters, digits and `_`, at most 40 characters. Unique in the template.
    pub slot: String,
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub title: String,
    /// hub, gate, expert, spoke, lead or member, if the topology needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// What follows when this role rejects the work with a line `TEST_FAIL` or `REVIEW_BLOCK`. Used by pipeline and
    /// hub_spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_reject: Option<OnReject>,
    /// The slot of the role that the work goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_to: Option<String>,
    /// One line for the team builder, at most 300 characters.
    #[serde(default)]
    pub summary: String,
    /// At most 20,000 characters.
    pub system_prompt: String,
    /// Names of skills, the most important first. The first two that exist are pinned.
    #[serde(default)]
    pub skills: Vec<String>,
    /// The first text of its agent's brain: Markdown, at most 100,000 characters.
    #[serde(default)]
    pub brain_seed: String,
}

impl Content {
    /// What the sandboxes of its agents need. `None` when its agents may not use files and commands.
    pub fn wanted(&self) -> Option<Wanted<'_>> {
        let (profile, bundles) = effective(&Grant::default(), Some(&self.grant()), None);
        works_with_files(profile, &bundles).then_some(Wanted {
            image: self.image.as_deref(),
            needs: &self.needs,
        })
    }

    /// What it grants to its agents.
    pub fn grant(&self) -> Grant {
        let words = self.mcp_bundles.iter();
        let bundles = words.filter_map(|word| Bundle::parse(word)).collect();
        Grant::from_stored(Some(self.risk_profile.as_str()), bundles)
    }

    /// The role of this slot.
    pub fn role(&self, slot: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.slot == slot)
    }

    /// The stored form.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("structs of strings encode")
    }

    /// The hash of the stored form.
    pub fn sha256(&self) -> String {
        hex::encode(Sha256::digest(self.json()))
    }

    /// Parses the stored form.
    ///
    /// # Errors
    /// When another program wrote it.
    pub fn from_stored(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }
}

/// Whether agents with these permissions work in sandboxes.
pub fn works_with_files(profile: Profile, bundles: &BTreeSet<Bundle>) -> bool {
    let of_files = [Bundle::Sandbox, Bundle::Repo];
    profile != Profile::Toolfree && of_files.iter().any(|bundle| bundles.contains(bundle))
}

/// The id of a built-in template. It is the same in every deployment.
pub fn builtin_id(key: &str) -> TemplateId {
    TemplateId(derived(&["team-template", key]))
}

/// Lower-case letters, digits and `_`, beginning with a letter. Keys and slots have this form.
pub fn is_key(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// What an upgrade does to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TemplateUpgrade)]
pub enum Upgrade {
    /// It already has the newest version.
    None,
    /// The new version's prompt replaces its prompt.
    Replace,
    /// It already has the new version's prompt.
    Same,
    /// A person changed its prompt since it was made, so the prompt stays.
    KeepPrompt,
    /// The new version has no such role. Everything stays, also the version.
    NoRole,
}

impl Upgrade {
    /// Whether the agent has the new version afterwards.
    pub fn moves(self) -> bool {
        matches!(self, Self::Replace | Self::Same | Self::KeepPrompt)
    }
}

/// Decides for one agent. `made_with` is the prompt of its role in the version that it was made from.
pub fn upgrade(
    (has, newest): (i64, i64),
    made_with: Option<&str>,
    new: Option<&str>,
    prompt: Option<&str>,
) -> Upgrade {
    if has >= newest {
        return Upgrade::None;
    }
    let Some(new) = new else {
        return Upgrade::NoRole;
    };
    let prompt = prompt.unwrap_or_default();
    if prompt == new {
        Upgrade::Same
    } else if made_with == Some(prompt) {
        Upgrade::Replace
    } else {
        Upgrade::KeepPrompt
    }
}

/// The action for a built-in template when a gateway starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// It is new.
    Insert,
    /// It has a higher number: it gets a new version.
    Version,
    /// The same number with another content is overwritten. That happens only while a text is being written, never in
    /// a release.
    Overwrite,
    /// Nothing changed, or a newer gateway has loaded a newer version.
    Same,
}

/// Compares a template of this program with the stored one (its version and that version's hash).
pub fn loading(present: Option<(i64, &str)>, version: i64, sha256: &str) -> Loading {
    match present {
        None => Loading::Insert,
        Some((stored, _)) if stored < version => Loading::Version,
        Some((stored, hash)) if stored == version && hash != sha256 => Loading::Overwrite,
        Some(_) => Loading::Same,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn role(prompt: &str) -> Role {
        Role {
            slot: "coder".to_owned(),
            title: "Coder".to_owned(),
            seat: None,
            on_reject: None,
            back_to: None,
            summary: String::new(),
            system_prompt: prompt.to_owned(),
            skills: Vec::new(),
            brain_seed: String::new(),
        }
    }

    #[rstest]
    #[case::newest((3, 3), Some("a"), Some("b"), "a", Upgrade::None)]
    #[case::newer_than_this_gateway_knows((4, 3), Some("a"), Some("b"), "a", Upgrade::None)]
    #[case::untouched((2, 3), Some("a"), Some("b"), "a", Upgrade::Replace)]
    #[case::edited((2, 3), Some("a"), Some("b"), "mine", Upgrade::KeepPrompt)]
    #[case::edited_to_the_new_one((2, 3), Some("a"), Some("b"), "b", Upgrade::Same)]
    #[case::unchanged_in_the_template((2, 3), Some("a"), Some("a"), "a", Upgrade::Same)]
    #[case::emptied((2, 3), Some("a"), Some("b"), "", Upgrade::KeepPrompt)]
    #[case::role_gone((2, 3), Some("a"), None, "a", Upgrade::NoRole)]
    #[case::made_from_a_version_that_is_unknown((1, 3), None, Some("b"), "a", Upgrade::KeepPrompt)]
    fn an_upgrade_replaces_only_what_nobody_changed(
        #[case] versions: (i64, i64),
        #[case] made_with: Option<&str>,
        #[case] new: Option<&str>,
        #[case] prompt: &str,
        #[case] expected: Upgrade,
    ) {
        let found = upgrade(versions, made_with, new, Some(prompt));
        assert_eq!(found, expected);
    }

    #[test]
    fn loading_never_goes_back_and_never_writes_twice() {
        assert_eq!(loading(None, 1, "x"), Loading::Insert);
        assert_eq!(loading(Some((1, "x")), 1, "x"), Loading::Same);
        assert_eq!(loading(Some((1, "x")), 2, "y"), Loading::Version);
        assert_eq!(loading(Some((2, "y")), 1, "x"), Loading::Same);
        assert_eq!(loading(Some((1, "x")), 1, "y"), Loading::Overwrite);
    }

    #[test]
    fn stored_row_is_read_also_in_an_older_form() {
        let content = Content {
            name: "N".to_owned(),
            description: String::new(),
            stack: "any".to_owned(),
            default_topology: "single".to_owned(),
            risk_profile: "toolfree".to_owned(),
            mcp_bundles: vec!["skills".to_owned()],
            category: Category::Ops,
            image: Some("rust".to_owned()),
            needs: vec![Need::Gpu],
            roles: vec![role("p")],
        };
        assert_eq!(Content::from_stored(&content.json()).unwrap(), content);
        let mut json: serde_json::Value = serde_json::from_str(&content.json()).unwrap();
        for newer in ["category", "image", "needs"] {
            json.as_object_mut().unwrap().remove(newer).expect(newer);
        }
        let read = Content::from_stored(&json.to_string()).unwrap();
        assert_eq!(read.category, Category::Development);
        assert_eq!((&read.image, read.needs.len()), (&None, 0));
        assert_ne!(read.sha256(), content.sha256());
    }

    #[test]
    fn only_agents_with_files_or_commands_need_an_image() {
        let content = |profile: &str, bundles: &[&str]| Content {
            name: "N".to_owned(),
            description: String::new(),
            stack: "any".to_owned(),
            default_topology: "single".to_owned(),
            risk_profile: profile.to_owned(),
            mcp_bundles: bundles.iter().map(|word| (*word).to_owned()).collect(),
            category: Category::Ops,
            image: Some("node".to_owned()),
            needs: vec![Need::Gpu],
            roles: vec![role("p")],
        };
        let coding = content("coding_readwrite", &["sandbox", "skills"]);
        let wanted = coding.wanted().expect("it works in a sandbox");
        assert_eq!(
            (wanted.image, wanted.needs),
            (Some("node"), &[Need::Gpu][..])
        );
        assert!(content("research_readonly", &["repo"]).wanted().is_some());
        assert!(content("toolfree", &["sandbox"]).wanted().is_none());
        assert!(content("coding_readwrite", &["skills"]).wanted().is_none());
    }

    #[test]
    fn every_seat_is_one_of_a_topology() {
        for seat in SEATS {
            let known = serde_json::from_value::<roost_execution::topology::Seat>(seat.into());
            assert!(known.is_ok(), "{seat}");
        }
    }

    #[rstest]
    #[case("rust_sdlc", true)]
    #[case("a1", true)]
    #[case("1a", false)]
    #[case("_a", false)]
    #[case("A", false)]
    #[case("a-b", false)]
    #[case("", false)]
    fn keys_are_plain_words(#[case] key: &str, #[case] fits: bool) {
        assert_eq!(is_key(key), fits);
        for category in [
            Category::Research,
            Category::Development,
            Category::Security,
            Category::Ops,
        ] {
            assert_eq!(Category::from_stored(category.as_str()), category);
        }
    }
}
