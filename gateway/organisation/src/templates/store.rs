//! All SQL of templates. A workspace reads the built-in ones and its own. It writes only its own.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr,
};

use super::entity::{role, template, version};
use super::model::{Category, Content, Role};
use roost_execution::topology::OnReject;
use roost_machines::images::Need;
use roost_platform::db::TenantEntity;
use roost_platform::ids::{TemplateId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// A template with its roles, in its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub row: template::Model,
    /// In the order of their work.
    pub roles: Vec<Role>,
}

impl Template {
    /// The tool bundles of its agents.
    pub fn bundles(&self) -> Vec<String> {
        words(&self.row.mcp_bundles)
    }

    /// What its agents need beside the tools of the image.
    pub fn needs(&self) -> Vec<Need> {
        // Only the gateway writes them.
        serde_json::from_str(&self.row.needs).unwrap_or_default()
    }

    /// The content, as a version stores it.
    pub fn content(&self) -> Content {
        Content {
            name: self.row.name.clone(),
            description: self.row.description.clone(),
            stack: self.row.stack.clone(),
            default_topology: self.row.default_topology.clone(),
            risk_profile: self.row.risk_profile.clone(),
            mcp_bundles: self.bundles(),
            category: Category::from_stored(&self.row.category),
            image: self.row.image.clone(),
            needs: self.needs(),
            roles: self.roles.clone(),
        }
    }
}

/// Only the gateway writes them.
pub(super) fn words(stored: &str) -> Vec<String> {
    serde_json::from_str(stored).unwrap_or_default()
}

fn visible(scope: WorkspaceScope) -> Select<template::Entity> {
    let of_workspace = Condition::any()
        .add(template::Column::WorkspaceId.is_null())
        .add(template::Column::WorkspaceId.eq(scope.workspace()));
    template::Entity::find().filter(of_workspace)
}

/// One living template that the workspace sees.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TemplateId,
) -> Result<Option<Template>, DbErr> {
    let row = visible(scope)
        .filter(template::Column::Id.eq(id))
        .filter(template::Column::DeletedAt.is_null())
        .one(db)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let roles = roles_of(db, std::slice::from_ref(&row), true).await?;
    let roles = roles.into_values().next().unwrap_or_default();
    Ok(Some(Template { row, roles }))
}

/// The names of living templates that the workspace sees. Another template is not in the map.
pub async fn names(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    templates: &[TemplateId],
) -> Result<HashMap<TemplateId, String>, DbErr> {
    let found: Vec<(TemplateId, String)> = visible(scope)
        .select_only()
        .column(template::Column::Id)
        .column(template::Column::Name)
        .filter(template::Column::Id.is_in(templates.iter().copied()))
        .filter(template::Column::DeletedAt.is_null())
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// The name of a template that the workspace had. `None` for one that lives, or that it never had.
pub async fn name_of_deleted(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TemplateId,
) -> Result<Option<String>, DbErr> {
    visible(scope)
        .select_only()
        .column(template::Column::Name)
        .filter(template::Column::Id.eq(id))
        .filter(template::Column::DeletedAt.is_not_null())
        .into_tuple()
        .one(db)
        .await
}

/// Templates sorted by name, with their roles but without the roles' texts. A page begins after the last template of
/// the previous page.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
    category: Option<Category>,
) -> Result<Vec<Template>, DbErr> {
    let mut query = visible(scope).filter(template::Column::DeletedAt.is_null());
    if let Some(category) = category {
        query = query.filter(template::Column::Category.eq(category.as_str()));
    }
    if let Some(after) = request.after.map(TemplateId) {
        let last = visible(scope)
            .filter(template::Column::Id.eq(after))
            .one(db)
            .await?;
        let Some(last) = last else {
            return Ok(Vec::new());
        };
        let later = Condition::all()
            .add(template::Column::Name.eq(last.name.clone()))
            .add(template::Column::Id.gt(after));
        query = query.filter(
            Condition::any()
                .add(template::Column::Name.gt(last.name))
                .add(later),
        );
    }
    let rows = query
        .order_by_asc(template::Column::Name)
        .order_by_asc(template::Column::Id)
        .limit(request.rows())
        .all(db)
        .await?;
    let mut roles = roles_of(db, &rows, false).await?;
    let with_roles = rows.into_iter().map(|row| {
        let roles = roles.remove(&row.id).unwrap_or_default();
        Template { row, roles }
    });
    Ok(with_roles.collect())
}

async fn roles_of(
    db: &impl ConnectionTrait,
    rows: &[template::Model],
    with_texts: bool,
) -> Result<HashMap<TemplateId, Vec<Role>>, DbErr> {
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query =
        role::Entity::find().filter(role::Column::TemplateId.is_in(rows.iter().map(|row| row.id)));
    if !with_texts {
        let text = |column: &role::Column| {
            matches!(column, role::Column::SystemPrompt | role::Column::BrainSeed)
        };
        query = query
            .select_only()
            .columns(role::Column::iter().filter(|column| !text(column)))
            .expr_as(Expr::val(""), "system_prompt")
            .expr_as(Expr::val(""), "brain_seed");
    }
    let roles = query.order_by_asc(role::Column::Position).all(db).await?;
    let mut found: HashMap<TemplateId, Vec<Role>> = HashMap::new();
    for row in roles {
        found.entry(row.template_id).or_default().push(Role {
            slot: row.slot,
            title: row.title,
            seat: row.seat,
            on_reject: row.on_reject.as_deref().and_then(OnReject::parse),
            back_to: row.back_to,
            summary: row.summary,
            system_prompt: row.system_prompt,
            skills: words(&row.skills),
            brain_seed: row.brain_seed,
        });
    }
    Ok(found)
}

/// The built-in templates with the hash of their newest version.
pub async fn builtin(
    db: &impl ConnectionTrait,
) -> Result<Vec<(template::Model, Option<String>)>, DbErr> {
    let rows = template::Entity::find()
        .filter(template::Column::WorkspaceId.is_null())
        .all(db)
        .await?;
    let hashes: Vec<Hash> = version::Entity::find()
        .select_only()
        .columns([
            version::Column::TemplateId,
            version::Column::Version,
            version::Column::Sha256,
        ])
        .filter(version::Column::WorkspaceId.is_null())
        .into_model()
        .all(db)
        .await?;
    let with_hashes = rows.into_iter().map(|row| {
        let newest = hashes
            .iter()
            .find(|hash| hash.template_id == row.id && hash.version == row.version);
        let sha256 = newest.map(|hash| hash.sha256.clone());
        (row, sha256)
    });
    Ok(with_hashes.collect())
}

#[derive(Debug, FromQueryResult)]
struct Hash {
    template_id: TemplateId,
    version: i64,
    sha256: String,
}

/// Whether the workspace or Roost has a living template of this key.
pub async fn has_key(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    key: &str,
) -> Result<bool, DbErr> {
    let found = visible(scope)
        .filter(template::Column::Key.eq(key))
        .filter(template::Column::DeletedAt.is_null())
        .count(db)
        .await?;
    Ok(found > 0)
}

/// The number of the workspace's living templates.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    template::Entity::find_in(scope)
        .filter(template::Column::DeletedAt.is_null())
        .count(db)
        .await
}

/// Inserts a template. A unique violation means that the key is taken.
pub async fn insert(db: &impl ConnectionTrait, row: template::Model) -> Result<(), DbErr> {
    template::Entity::insert(template::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Writes a changed template over the version that it was made from. `false` when the template has another version
/// now.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &template::Model,
    from_version: i64,
) -> Result<bool, DbErr> {
    let done = template::Entity::update_many()
        .col_expr(template::Column::Name, Expr::value(row.name.clone()))
        .col_expr(
            template::Column::Description,
            Expr::value(row.description.clone()),
        )
        .col_expr(template::Column::Stack, Expr::value(row.stack.clone()))
        .col_expr(
            template::Column::DefaultTopology,
            Expr::value(row.default_topology.clone()),
        )
        .col_expr(
            template::Column::RiskProfile,
            Expr::value(row.risk_profile.clone()),
        )
        .col_expr(
            template::Column::McpBundles,
            Expr::value(row.mcp_bundles.clone()),
        )
        .col_expr(
            template::Column::Category,
            Expr::value(row.category.clone()),
        )
        .col_expr(template::Column::Image, Expr::value(row.image.clone()))
        .col_expr(template::Column::Needs, Expr::value(row.needs.clone()))
        .col_expr(template::Column::Version, Expr::value(row.version))
        .col_expr(template::Column::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(template::Column::DeletedAt, Expr::value(row.deleted_at))
        .filter(template::Column::Id.eq(row.id))
        .filter(template::Column::Version.eq(from_version))
        .filter(template::Column::DeletedAt.is_null())
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Replaces the roles of a template.
pub async fn replace_roles(
    db: &impl ConnectionTrait,
    of: &template::Model,
    roles: &[Role],
) -> Result<(), DbErr> {
    role::Entity::delete_many()
        .filter(role::Column::TemplateId.eq(of.id))
        .exec(db)
        .await?;
    let rows = roles.iter().zip(0..).map(|(role, position)| {
        role::ActiveModel::from(role::Model {
            template_id: of.id,
            slot: role.slot.clone(),
            workspace_id: of.workspace_id,
            position,
            title: role.title.clone(),
            seat: role.seat.clone(),
            on_reject: role.on_reject.map(|action| action.as_str().to_owned()),
            back_to: role.back_to.clone(),
            summary: role.summary.clone(),
            system_prompt: role.system_prompt.clone(),
            skills: serde_json::json!(role.skills).to_string(),
            brain_seed: role.brain_seed.clone(),
        })
    });
    role::Entity::insert_many(rows)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// A version without its content.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Listed {
    pub version: i64,
    pub sha256: String,
    pub author: UserId,
    pub at: DateTime<Utc>,
}

/// The versions of a template, newest first. The caller has already checked access to the template.
pub async fn history(
    db: &impl ConnectionTrait,
    template: &template::Model,
    request: PageRequest,
) -> Result<Vec<Listed>, DbErr> {
    let mut query = version::Entity::find()
        .select_only()
        .columns([
            version::Column::Version,
            version::Column::Sha256,
            version::Column::Author,
            version::Column::At,
        ])
        .filter(version::Column::TemplateId.eq(template.id));
    if let Some(after) = request.after {
        let (_, before) = after.as_u64_pair();
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        query = query.filter(version::Column::Version.lt(before));
    }
    query
        .order_by_desc(version::Column::Version)
        .limit(request.rows())
        .into_model()
        .all(db)
        .await
}

/// One version of a template that the workspace sees, also after the template was deleted, because agents were made
/// from it.
pub async fn version(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TemplateId,
    number: i64,
) -> Result<Option<version::Model>, DbErr> {
    let of_workspace = Condition::any()
        .add(version::Column::WorkspaceId.is_null())
        .add(version::Column::WorkspaceId.eq(scope.workspace()));
    version::Entity::find()
        .filter(of_workspace)
        .filter(version::Column::TemplateId.eq(id))
        .filter(version::Column::Version.eq(number))
        .one(db)
        .await
}

/// Adds a version.
pub async fn insert_version(db: &impl ConnectionTrait, row: version::Model) -> Result<(), DbErr> {
    version::Entity::insert(version::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Overwrites a version of a built-in template whose text is being written.
pub async fn overwrite_version(
    db: &impl ConnectionTrait,
    row: &version::Model,
) -> Result<(), DbErr> {
    version::Entity::update_many()
        .col_expr(version::Column::Sha256, Expr::value(row.sha256.clone()))
        .col_expr(version::Column::Content, Expr::value(row.content.clone()))
        .col_expr(version::Column::At, Expr::value(row.at))
        .filter(version::Column::TemplateId.eq(row.template_id))
        .filter(version::Column::Version.eq(row.version))
        .filter(version::Column::WorkspaceId.is_null())
        .exec(db)
        .await?;
    Ok(())
}

/// Removes all templates of a workspace that is deleted for good. Roles and versions are deleted with their
/// templates. Links must be deleted first.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    template::Entity::delete_in(scope).exec(db).await?;
    Ok(())
}
