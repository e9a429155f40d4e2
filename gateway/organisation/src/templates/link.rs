//! The link from an agent to its template. Commands that create agents from templates call it in their own
//! transactions.

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::link;
use super::model::{Content, Role};
use super::{TemplateError, store, store_links};
use roost_agents::claws::brain::{self, BrainRow, Cause, Write};
use roost_platform::ids::{ClawId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The link of an agent, if it was made from a template.
///
/// # Errors
/// When the database fails.
pub async fn of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<link::Model>, DbErr> {
    store_links::of_agent(db, scope, agent).await
}

/// Links an agent to the role that it was made from. A repeat after a crash changes nothing.
///
/// # Errors
/// When the database fails.
pub async fn link_in(
    change: &Change,
    agent: ClawId,
    template: TemplateId,
    version: i64,
    slot: &str,
) -> Result<(), DbErr> {
    let row = link::Model {
        agent_id: agent,
        workspace_id: change.scope().workspace(),
        template_id: template,
        template_version: version,
        role_slot: slot.to_owned(),
        seeded_at: None,
        created_at: change.now(),
    };
    store_links::put(change.tx(), row).await
}

/// Gives the brain of a linked agent the seed of its role, once in the agent's life, and never over existing text.
/// Returns whether it did so now.
///
/// # Errors
/// As writing a brain; [`TemplateError::Unreadable`].
pub async fn seed_in(change: &mut Change, agent: ClawId) -> Result<bool, TemplateError> {
    let scope = change.scope();
    let link = of(change.tx(), scope, agent).await?;
    let Some(link) = link.filter(|link| link.seeded_at.is_none()) else {
        return Ok(false);
    };
    let role = role_of(change.tx(), scope, &link).await?;
    let Some(seed) = role
        .map(|role| role.brain_seed)
        .filter(|seed| !seed.trim().is_empty())
    else {
        return Ok(false);
    };
    let before = brain::newest(change.tx(), scope, agent).await?;
    let write = Write {
        agent_md: seed,
        cause: Cause::Seed,
        restored_from: None,
        if_version: None,
    };
    let after = brain::write_in(change, agent, write).await?;
    let version = |row: &Option<BrainRow>| row.as_ref().map(|row| row.version);
    let given = version(&before) != version(&after);
    if given {
        store_links::seeded(change.tx(), scope, agent, change.now()).await?;
    }
    Ok(given)
}

/// The role that an agent was made from, in the version of that time.
///
/// # Errors
/// [`TemplateError::Unreadable`]; when the database fails.
pub async fn role_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    link: &link::Model,
) -> Result<Option<Role>, TemplateError> {
    let content = content_of(db, scope, link).await?;
    Ok(content.and_then(|content| content.role(&link.role_slot).cloned()))
}

/// The image of the template that an agent was made from, in the version of that time.
///
/// # Errors
/// When the database fails.
pub async fn image_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<String>, DbErr> {
    let Some(link) = of(db, scope, agent).await? else {
        return Ok(None);
    };
    match content_of(db, scope, &link).await {
        Ok(content) => Ok(content.and_then(|content| content.image)),
        Err(TemplateError::Db(error)) => Err(error),
        // A version that another program wrote names no image.
        Err(_) => Ok(None),
    }
}

async fn content_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    link: &link::Model,
) -> Result<Option<Content>, TemplateError> {
    let stored = store::version(db, scope, link.template_id, link.template_version).await?;
    let content = stored.map(|stored| Content::from_stored(&stored.content));
    content.transpose().map_err(TemplateError::Unreadable)
}
