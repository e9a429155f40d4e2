//! The validation of a template that a person wrote.

use super::model::{
    BUNDLES, Content, MOST_ROLE_SKILLS, MOST_ROLES, PROFILES, Role, SEATS, STACKS, is_key,
};
use crate::skills;
use roost_execution::topology::Kind;
use roost_machines::images::{IMAGE_NAME, is_name};
use roost_web::json::{Check, Mistakes};

impl Check for Content {
    fn check(&self, mistakes: &mut Mistakes) {
        check_content(self, mistakes);
    }
}

/// Reports the mistakes in a content.
pub(super) fn check_content(content: &Content, mistakes: &mut Mistakes) {
    mistakes.name("/name", &content.name, 100);
    mistakes.text("/description", &content.description, 0, 1_000);
    one_of(mistakes, "/stack", &content.stack, &STACKS);
    let kinds = Kind::ALL.map(Kind::as_str);
    one_of(
        mistakes,
        "/default_topology",
        &content.default_topology,
        &kinds,
    );
    one_of(mistakes, "/risk_profile", &content.risk_profile, &PROFILES);
    for (index, bundle) in content.mcp_bundles.iter().enumerate() {
        let pointer = format!("/mcp_bundles/{index}");
        one_of(mistakes, &pointer, bundle, &BUNDLES);
        if content.mcp_bundles[..index].contains(bundle) {
            mistakes.add(&pointer, "is there already");
        }
    }
    if content.image.as_deref().is_some_and(|name| !is_name(name)) {
        mistakes.add("/image", IMAGE_NAME);
    }
    for (index, need) in content.needs.iter().enumerate() {
        if content.needs[..index].contains(need) {
            mistakes.add(&format!("/needs/{index}"), "is there already");
        }
    }
    if content.roles.is_empty() || content.roles.len() > MOST_ROLES {
        mistakes.add("/roles", format!("must be 1 to {MOST_ROLES}"));
        return;
    }
    for (index, role) in content.roles.iter().enumerate() {
        check_role(role, &format!("/roles/{index}"), mistakes);
        if content.roles[..index]
            .iter()
            .any(|other| other.slot == role.slot)
        {
            mistakes.add(&format!("/roles/{index}/slot"), "is there already");
        }
        let other = |slot: &str| slot != role.slot && content.role(slot).is_some();
        if role.back_to.as_deref().is_some_and(|slot| !other(slot)) {
            mistakes.add(
                &format!("/roles/{index}/back_to"),
                "must be the slot of another role",
            );
        }
    }
}

fn check_role(role: &Role, at: &str, mistakes: &mut Mistakes) {
    check_key(&format!("{at}/slot"), &role.slot, mistakes);
    mistakes.name(&format!("{at}/title"), &role.title, 100);
    if let Some(seat) = &role.seat {
        one_of(mistakes, &format!("{at}/seat"), seat, &SEATS);
    }
    mistakes.text(&format!("{at}/summary"), &role.summary, 0, 300);
    mistakes.text(
        &format!("{at}/system_prompt"),
        &role.system_prompt,
        1,
        20_000,
    );
    mistakes.text(&format!("{at}/brain_seed"), &role.brain_seed, 0, 100_000);
    if role.skills.len() > MOST_ROLE_SKILLS {
        mistakes.add(
            &format!("{at}/skills"),
            format!("must be at most {MOST_ROLE_SKILLS}"),
        );
    }
    for (index, name) in role.skills.iter().enumerate() {
        if !skills::is_slug(name, skills::NAME_CHARACTERS) {
            mistakes.add(
                &format!("{at}/skills/{index}"),
                "must be the name of a skill",
            );
        }
    }
}

/// Checks a key or a slot.
pub(super) fn check_key(pointer: &str, key: &str, mistakes: &mut Mistakes) {
    if !is_key(key) {
        mistakes.add(
            pointer,
            "must be lower-case letters, digits and _, beginning with a letter, 40 at most",
        );
    }
}

fn one_of(mistakes: &mut Mistakes, pointer: &str, word: &str, known: &[&str]) {
    if !known.contains(&word) {
        mistakes.add(pointer, format!("must be one of {}", known.join(", ")));
    }
}
