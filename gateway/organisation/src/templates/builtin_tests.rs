//! The eleven templates: their required parts, the rules for their texts, and a new number for each new content.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::skills::{self, rubric};
use crate::templates::check::check_content;
use roost_machines::images::Catalogue;
use roost_web::json::Mistakes;

/// Keys, categories, and roles in the order of their work.
const SPECIFIED: [(&str, Category, &[&str]); 11] = [
    (
        "backend",
        Category::Development,
        &[
            "api_designer",
            "db_engineer",
            "coder",
            "tester",
            "committer",
        ],
    ),
    (
        "codebase_research",
        Category::Research,
        &[
            "code_archeologist",
            "architecture_mapper",
            "flow_tracer",
            "vault_scribe",
        ],
    ),
    (
        "continuous_improvement",
        Category::Research,
        &[
            "brain_inspector",
            "improvement_proposer",
            "improvement_evaluator",
        ],
    ),
    (
        "continuous_research",
        Category::Research,
        &["signal_harvester", "ranker", "digest_writer"],
    ),
    (
        "frontend",
        Category::Development,
        &["designer", "coder", "tester", "committer"],
    ),
    (
        "gpu",
        Category::Development,
        &[
            "arch_analyst",
            "kernel_author",
            "bench_engineer",
            "coder",
            "committer",
        ],
    ),
    (
        "insight_research",
        Category::Research,
        &[
            "implementation_tracker",
            "novelty_hunter",
            "publication_drafter",
        ],
    ),
    (
        "mobile",
        Category::Development,
        &["designer", "coder", "tester", "committer"],
    ),
    (
        "papers_research",
        Category::Research,
        &["domain_scout", "paper_reader", "library_curator"],
    ),
    (
        "rust_sdlc",
        Category::Development,
        &["planner", "coder", "tester", "reviewer", "committer"],
    ),
    (
        "threejs",
        Category::Development,
        &[
            "scene_designer",
            "coder",
            "shader_author",
            "perf_engineer",
            "committer",
        ],
    ),
];

/// Every released version: key, number, hash of the content. A changed text gets a new number in its `template.toml`
/// and a new line here. An existing line never changes, because agents were made from it.
const RELEASED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/templates/released.txt");

#[test]
fn the_specified_templates_are_there_with_their_roles_in_order() {
    let found: Vec<(&str, Category, Vec<&str>)> = all()
        .iter()
        .map(|one| {
            let slots = one.content.roles.iter().map(|role| role.slot.as_str());
            (one.key.as_str(), one.content.category, slots.collect())
        })
        .collect();
    let specified: Vec<(&str, Category, Vec<&str>)> = SPECIFIED
        .iter()
        .map(|(key, category, slots)| (*key, *category, slots.to_vec()))
        .collect();
    assert_eq!(found, specified);
    let files = Files::iter().count();
    let roles: usize = SPECIFIED.iter().map(|one| one.2.len()).sum();
    assert_eq!(
        files,
        SPECIFIED.len() + 2 * roles,
        "a file belongs to no role"
    );
}

#[test]
fn each_is_what_a_person_could_have_made() {
    for one in all() {
        let mut mistakes = Mistakes::default();
        check_content(&one.content, &mut mistakes);
        assert!(mistakes.done().is_ok(), "{}: see check_content", one.key);
        let folder = Files::get(&format!("{}/template.toml", one.key));
        assert!(
            folder.is_some(),
            "{} is in a folder of another name",
            one.key
        );
        assert!(one.version >= 1);
    }
}

#[test]
fn every_skill_of_a_role_is_there() {
    let known: BTreeSet<&str> = skills::builtin::all()
        .iter()
        .map(|text| text.head.name.as_str())
        .collect();
    for one in all() {
        for role in &one.content.roles {
            let names: BTreeSet<&str> = role.skills.iter().map(String::as_str).collect();
            let missing: Vec<&&str> = names.difference(&known).collect();
            assert!(
                missing.is_empty(),
                "{}, {}: {missing:?}",
                one.key,
                role.slot
            );
            assert_eq!(
                names.len(),
                role.skills.len(),
                "{}, {}: one twice",
                one.key,
                role.slot
            );
            assert!((3..=5).contains(&names.len()), "{}, {}", one.key, role.slot);
        }
    }
}

#[test]
fn a_hub_sits_where_the_topology_asks_for_one() {
    for one in all() {
        let seats = |seat: &str| {
            let roles = one.content.roles.iter();
            roles
                .filter(|role| role.seat.as_deref() == Some(seat))
                .count()
        };
        let hubs = usize::from(one.content.default_topology != "pipeline");
        assert_eq!(seats("hub"), hubs, "{}", one.key);
    }
}

/// Texts of roles and skills: no two of them are too similar.
#[test]
fn each_text_keeps_to_the_rubric_and_is_like_no_other() {
    let mut texts: Vec<(String, String)> = skills::builtin::all()
        .iter()
        .map(|text| (format!("skill {}", text.head.name), text.body.clone()))
        .collect();
    let mut faults = Vec::new();
    for one in all() {
        for role in &one.content.roles {
            for (what, text) in [("prompt", &role.system_prompt), ("brain", &role.brain_seed)] {
                let name = format!("{}/{}.{what}", one.key, role.slot);
                faults.extend(rubric::faults(&name, text));
                if skills::model::clean_body(text) != *text {
                    faults.push(format!("{name} hides something"));
                }
                texts.push((name, text.clone()));
            }
        }
    }
    faults.extend(rubric::too_alike(&texts));
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn another_content_has_another_number() {
    // The test reads the list when it runs, as a debug build reads the texts. So writing texts needs no compiler.
    let list = std::fs::read_to_string(RELEASED).expect("the list is there");
    let mut released: BTreeMap<(&str, i64), &str> = BTreeMap::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("key, version and hash");
        let (key, version) = (word(), word().parse().expect("a number"));
        let before = released.insert((key, version), word());
        assert!(before.is_none(), "{key} {version} stands there twice");
    }
    let faults: Vec<String> = all()
        .iter()
        .filter_map(|one| {
            let (key, version, sha256) = (one.key.as_str(), one.version, one.content.sha256());
            match released.get(&(key, version)) {
                Some(known) if **known == sha256 => None,
                Some(_) => Some(format!(
                    "{key}: its content is not that of version {version}; make it version {} and add\n{key} {} {sha256}",
                    version + 1,
                    version + 1,
                )),
                None => Some(format!("{key} {version} {sha256}")),
            }
        })
        .collect();
    assert!(
        faults.is_empty(),
        "add to {RELEASED}:\n{}",
        faults.join("\n")
    );
    for (key, version) in released.keys() {
        let newest = all()
            .iter()
            .find(|one| one.key == *key)
            .map(|one| one.version);
        assert!(
            newest >= Some(*version),
            "{key} had version {version} before"
        );
    }
}

#[test]
fn no_role_is_told_to_stash_in_the_tree_that_all_of_them_share() {
    for template in all() {
        for role in &template.content.roles {
            for text in [&role.system_prompt, &role.brain_seed] {
                for order in ["git stash push", "git stash pop", "git stash -u", "stashed"] {
                    let at = (&template.key, &role.slot);
                    assert!(
                        !text.contains(order),
                        "{at:?}: the skill commit-hygiene forbids `{order}`"
                    );
                }
            }
        }
    }
}

#[test]
fn each_names_the_image_and_the_needs_of_its_work() {
    let shipped = Catalogue::new("roost-agent:rust", &[]);
    for one in all() {
        let expected = match one.key.as_str() {
            "backend" => ("polyglot", vec![]),
            "frontend" | "threejs" => ("node", vec![]),
            "gpu" => ("python", vec![Need::Gpu]),
            "mobile" => ("polyglot", vec![Need::MobileSdk]),
            "papers_research" => ("python", vec![]),
            "rust_sdlc" => ("rust", vec![]),
            _ => ("base", vec![]),
        };
        let image = one.content.image.as_deref().unwrap_or_default();
        assert_eq!((image, one.content.needs.clone()), expected, "{}", one.key);
        let entry = shipped.named(image).expect("it is in the catalogue");
        assert!(entry.recipe.is_some(), "{}", one.key);
    }
}
