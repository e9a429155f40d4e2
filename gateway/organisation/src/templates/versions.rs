//! Writes a version in one transaction: the template's row, its roles, the complete content, and the skills of its
//! roles.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::{template, version};
use super::model::Content;
use super::store;
use crate::skills::bindings::{self, Roles};
use roost_platform::db::WriteTx;
use roost_platform::ids::{TemplateId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// What a version replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Nothing: the template is new.
    Nothing,
    /// The version that it was made from.
    Version(i64),
    /// Itself: the text of a built-in template is being written.
    Itself,
}

/// The identity of a version.
#[derive(Debug, Clone)]
pub(super) struct About {
    pub id: TemplateId,
    /// Absent for templates that come with Roost.
    pub scope: Option<WorkspaceScope>,
    pub key: String,
    pub version: i64,
    pub created_at: DateTime<Utc>,
    pub now: DateTime<Utc>,
    pub author: UserId,
}

/// The row of a template with this content.
pub(super) fn row(about: &About, content: &Content) -> template::Model {
    template::Model {
        id: about.id,
        workspace_id: about.scope.map(|scope| scope.workspace()),
        key: about.key.clone(),
        name: content.name.clone(),
        description: content.description.clone(),
        stack: content.stack.clone(),
        default_topology: content.default_topology.clone(),
        risk_profile: content.risk_profile.clone(),
        mcp_bundles: serde_json::json!(content.mcp_bundles).to_string(),
        category: content.category.as_str().to_owned(),
        image: content.image.clone(),
        needs: serde_json::json!(content.needs).to_string(),
        source: match about.scope {
            None => "builtin",
            Some(_) => "workspace",
        }
        .to_owned(),
        version: about.version,
        created_at: about.created_at,
        updated_at: about.now,
        deleted_at: None,
    }
}

/// Writes the version. `None` when the template has another version now.
pub(super) async fn write(
    tx: &WriteTx,
    about: &About,
    content: &Content,
    over: Over,
) -> Result<Option<template::Model>, DbErr> {
    let row = row(about, content);
    let stored = version::Model {
        template_id: about.id,
        version: about.version,
        workspace_id: row.workspace_id,
        sha256: content.sha256(),
        content: content.json(),
        author: about.author,
        at: about.now,
    };
    let written = match over {
        Over::Nothing => store::insert(&**tx, row.clone()).await.map(|()| true)?,
        Over::Version(from) => store::replace(&**tx, &row, from).await?,
        Over::Itself => store::replace(&**tx, &row, row.version).await?,
    };
    if !written {
        return Ok(None);
    }
    match over {
        Over::Itself => store::overwrite_version(&**tx, &stored).await?,
        Over::Nothing | Over::Version(_) => store::insert_version(&**tx, stored).await?,
    }
    store::replace_roles(&**tx, &row, &content.roles).await?;
    bind(tx, about, content).await?;
    Ok(Some(row))
}

/// Binds the roles to skills. Returns whether a binding changed.
pub(super) async fn bind(tx: &WriteTx, about: &About, content: &Content) -> Result<bool, DbErr> {
    let roles = Roles {
        template: about.id,
        version: about.version,
        roles: content
            .roles
            .iter()
            .map(|role| (role.slot.as_str(), role.skills.as_slice()))
            .collect(),
    };
    bindings::bind_in(tx, about.scope, roles).await
}
