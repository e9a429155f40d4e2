//! Upgrades agents to the newest version of their template. An unchanged prompt is replaced by the new one. A changed
//! prompt stays, and the report names it. Brains never change.

use std::collections::{BTreeSet, HashMap};

use sea_orm::ConnectionTrait;

use super::{By, note};
use crate::templates::entity::link;
use crate::templates::link::role_of;
use crate::templates::model::{self, Upgrade};
use crate::templates::store::{self, Template};
use crate::templates::store_links;
use crate::templates::{TemplateError, TemplatesContext};
use roost_agents::claws::{self, ClawError, ClawRow};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The result for one agent.
#[derive(Debug, Clone)]
pub struct Upgraded {
    pub agent: ClawRow,
    pub from: i64,
    pub what: Upgrade,
}

/// Upgrades the named agents, or all with an older version. Returns the newest version and the result for each agent.
///
/// # Errors
/// [`TemplateError::NotFound`], [`TemplateError::NotMadeFrom`], [`TemplateError::VersionMismatch`] when another
/// request changed one of the agents at the same moment. Nothing was changed then.
pub async fn upgrade(
    state: &TemplatesContext,
    by: By,
    id: TemplateId,
    agents: Option<BTreeSet<ClawId>>,
) -> Result<(i64, Vec<Upgraded>), TemplateError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let template = store::get(change.tx(), by.scope, id)
        .await?
        .ok_or(TemplateError::NotFound)?;
    let newest = template.row.version;
    let mut links = store_links::made_from(change.tx(), by.scope, id, None).await?;
    if let Some(agents) = &agents {
        links.retain(|link| agents.contains(&link.agent_id));
        if links.len() != agents.len() {
            return Err(TemplateError::NotMadeFrom);
        }
    }
    // Lock all agents before the first event: every writer of the workspace locks agents first and the log after
    // them.
    let of_links: Vec<ClawId> = links.iter().map(|link| link.agent_id).collect();
    claws::lock(&change, of_links).await?;
    let mut former = Former::default();
    let mut done = Vec::new();
    for link in links {
        let Some(agent) = claws::find(change.tx(), by.scope, link.agent_id).await? else {
            continue;
        };
        if agent.deleted_at.is_some() {
            continue;
        }
        let what = former
            .decide(change.tx(), by.scope, &template, &link, &agent)
            .await?;
        let agent = match what {
            Upgrade::Replace => replace_prompt(&mut change, &template, &link, agent).await?,
            _ => agent,
        };
        if what.moves() && !store_links::move_on(change.tx(), by.scope, &link, newest).await? {
            return Err(TemplateError::VersionMismatch { current: newest });
        }
        if what.moves() {
            change.event(Event::changed(ResourceKind::Claw, agent.id, agent.version));
        }
        let from = link.template_version;
        done.push(Upgraded { agent, from, what });
    }
    let count = |what: Upgrade| done.iter().filter(|one| one.what == what).count();
    if done.iter().any(|one| one.what.moves()) {
        let details = serde_json::json!({
            "agents": done.iter().filter(|one| one.what.moves()).count(),
            "prompts": count(Upgrade::Replace),
            "kept": count(Upgrade::KeepPrompt) + count(Upgrade::NoRole),
        });
        note(&mut change, &template.row, "template.upgraded", details);
        change.commit().await?;
    }
    Ok((newest, done))
}

/// Prompts of roles in earlier versions. Each is read once.
#[derive(Default)]
pub struct Former(HashMap<(i64, String), Option<String>>);

impl Former {
    /// What an upgrade would do to an agent.
    ///
    /// # Errors
    /// [`TemplateError::Unreadable`]; when the database fails.
    pub async fn decide(
        &mut self,
        db: &impl ConnectionTrait,
        scope: WorkspaceScope,
        template: &Template,
        link: &link::Model,
        agent: &ClawRow,
    ) -> Result<Upgrade, TemplateError> {
        let of = (link.template_version, link.role_slot.clone());
        if !self.0.contains_key(&of) {
            let role = role_of(db, scope, link).await?;
            let prompt = role.map(|role| role.system_prompt);
            self.0.insert(of.clone(), prompt);
        }
        let made_with = self.0.get(&of).and_then(Option::as_deref);
        let new = template.roles.iter().find(|role| role.slot == of.1);
        Ok(model::upgrade(
            (of.0, template.row.version),
            made_with,
            new.map(|role| role.system_prompt.as_str()),
            agent.system_prompt.as_deref(),
        ))
    }
}

async fn replace_prompt(
    change: &mut Change,
    template: &Template,
    link: &link::Model,
    present: ClawRow,
) -> Result<ClawRow, TemplateError> {
    let role = template
        .roles
        .iter()
        .find(|role| role.slot == link.role_slot);
    let from = present.version;
    let agent = ClawRow {
        system_prompt: role.map(|role| role.system_prompt.clone()),
        updated_at: change.now(),
        version: from + 1,
        ..present
    };
    if !claws::replace(change.tx(), &agent, from).await? {
        // PostgreSQL: another transaction wrote between this transaction's read and write.
        return Err(ClawError::VersionMismatch { current: from + 1 }.into());
    }
    let details = serde_json::json!({
        "name": agent.name, "fields": ["system_prompt"], "template": template.row.name,
        "template_id": template.row.id, "template_version": template.row.version,
    });
    change.record("claw.changed", ("claw", &agent.id), details);
    Ok(agent)
}
