//! All SQL of the catalogue. A workspace reads the built-in skills and its own. It writes only its own.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, ExprTrait, Func, LikeExpr, SimpleExpr},
};

use super::entity::{skill, version};
use roost_platform::db::TenantEntity;
use roost_platform::ids::{SkillId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// Filters for skills. A skill must match all of them.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Text in the name, the title, `when_to_use` or the tags.
    pub text: Option<String>,
    pub tag: Option<String>,
}

fn visible(scope: WorkspaceScope) -> Select<skill::Entity> {
    let of_workspace = Condition::any()
        .add(skill::Column::WorkspaceId.is_null())
        .add(skill::Column::WorkspaceId.eq(scope.workspace()));
    skill::Entity::find().filter(of_workspace)
}

/// One skill that the workspace sees, also a deleted one.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SkillId,
) -> Result<Option<skill::Model>, DbErr> {
    visible(scope)
        .filter(skill::Column::Id.eq(id))
        .one(db)
        .await
}

/// Skills sorted by name, without bodies. A page begins after the last skill of the previous page.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
    filter: &Filter,
) -> Result<Vec<skill::Model>, DbErr> {
    let mut query = visible(scope).filter(skill::Column::DeletedAt.is_null());
    if let Some(after) = request.after.map(SkillId) {
        let Some(last) = get(db, scope, after).await? else {
            return Ok(Vec::new());
        };
        let later = Condition::all()
            .add(skill::Column::Name.eq(last.name.clone()))
            .add(skill::Column::Id.gt(after));
        query = query.filter(
            Condition::any()
                .add(skill::Column::Name.gt(last.name))
                .add(later),
        );
    }
    if let Some(text) = &filter.text {
        let pattern = format!("%{}%", escaped(&text.to_lowercase()));
        // Tags are stored as JSON. Do not search its punctuation.
        let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let tags = text.chars().all(word).then_some(skill::Column::Tags);
        let mut anywhere = Condition::any();
        for column in [
            skill::Column::Name,
            skill::Column::Title,
            skill::Column::WhenToUse,
        ]
        .into_iter()
        .chain(tags)
        {
            anywhere = anywhere.add(like(Func::lower(Expr::col(column)).into(), &pattern));
        }
        query = query.filter(anywhere);
    }
    if let Some(tag) = &filter.tag {
        let pattern = format!("%\"{}\"%", escaped(tag));
        query = query.filter(like(Expr::col(skill::Column::Tags), &pattern));
    }
    // Without the bodies: a page of them could exhaust the memory.
    query
        .select_only()
        .columns(skill::Column::iter().filter(|column| !matches!(column, skill::Column::Body)))
        .expr_as(Expr::val(""), "body")
        .order_by_asc(skill::Column::Name)
        .order_by_asc(skill::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// The living skills that the workspace sees under these names, as (name, id).
pub async fn ids_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    names: BTreeSet<String>,
) -> Result<Vec<(String, SkillId)>, DbErr> {
    visible(scope)
        .select_only()
        .columns([skill::Column::Name, skill::Column::Id])
        .filter(skill::Column::DeletedAt.is_null())
        .filter(skill::Column::Name.is_in(names))
        .into_tuple()
        .all(db)
        .await
}

fn like(what: SimpleExpr, pattern: &str) -> SimpleExpr {
    what.like(LikeExpr::new(pattern).escape('!'))
}

fn escaped(text: &str) -> String {
    text.replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_")
}

/// All skills that the workspace sees under these names or ids, with deleted ones.
pub async fn known(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    names: BTreeSet<String>,
    ids: BTreeSet<SkillId>,
) -> Result<Vec<skill::Model>, DbErr> {
    if names.is_empty() && ids.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Condition::any()
        .add(skill::Column::Name.is_in(names))
        .add(skill::Column::Id.is_in(ids));
    visible(scope).filter(wanted).all(db).await
}

/// The built-in skills, with deleted ones. With a name, only the skill of that name.
pub async fn builtin(
    db: &impl ConnectionTrait,
    name: Option<&str>,
) -> Result<Vec<skill::Model>, DbErr> {
    let mut query = skill::Entity::find().filter(skill::Column::WorkspaceId.is_null());
    if let Some(name) = name {
        query = query.filter(skill::Column::Name.eq(name));
    }
    query.all(db).await
}

/// The workspace's own living skills with these names.
pub async fn own_named(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    names: BTreeSet<String>,
) -> Result<Vec<skill::Model>, DbErr> {
    skill::Entity::find_in(scope)
        .filter(skill::Column::DeletedAt.is_null())
        .filter(skill::Column::Name.is_in(names))
        .all(db)
        .await
}

/// The number of the workspace's living skills.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    skill::Entity::find_in(scope)
        .filter(skill::Column::DeletedAt.is_null())
        .count(db)
        .await
}

/// Inserts a skill. A unique violation means that another request inserted it first.
pub async fn insert(db: &impl ConnectionTrait, row: skill::Model) -> Result<(), DbErr> {
    skill::Entity::insert(skill::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Writes a changed skill over the version that it was made from. `false` when the skill has another version now.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &skill::Model,
    from_version: i64,
) -> Result<bool, DbErr> {
    let done = skill::Entity::update_many()
        .col_expr(skill::Column::Title, Expr::value(row.title.clone()))
        .col_expr(
            skill::Column::WhenToUse,
            Expr::value(row.when_to_use.clone()),
        )
        .col_expr(skill::Column::Tags, Expr::value(row.tags.clone()))
        .col_expr(
            skill::Column::SourceKind,
            Expr::value(row.source_kind.clone()),
        )
        .col_expr(skill::Column::Foundation, Expr::value(row.foundation))
        .col_expr(
            skill::Column::CurrentVersion,
            Expr::value(row.current_version),
        )
        .col_expr(skill::Column::Body, Expr::value(row.body.clone()))
        .col_expr(skill::Column::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(skill::Column::DeletedAt, Expr::value(row.deleted_at))
        .filter(skill::Column::Id.eq(row.id))
        .filter(skill::Column::CurrentVersion.eq(from_version))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// A version without its body.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Listed {
    pub version: i64,
    pub title: String,
    pub promoted_from: Option<sea_orm::JsonValue>,
    pub restored_from: Option<i64>,
    pub author: UserId,
    pub at: DateTime<Utc>,
}

/// The versions of a skill, newest first. The caller has already checked access to the skill.
pub async fn history(
    db: &impl ConnectionTrait,
    skill: &skill::Model,
    request: PageRequest,
) -> Result<Vec<Listed>, DbErr> {
    let mut query = version::Entity::find()
        .select_only()
        .columns([
            version::Column::Version,
            version::Column::Title,
            version::Column::PromotedFrom,
            version::Column::RestoredFrom,
            version::Column::Author,
            version::Column::At,
        ])
        .filter(version::Column::SkillId.eq(skill.id));
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

/// One version of a skill that the workspace sees.
pub async fn version(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SkillId,
    number: i64,
) -> Result<Option<version::Model>, DbErr> {
    let of_workspace = Condition::any()
        .add(version::Column::WorkspaceId.is_null())
        .add(version::Column::WorkspaceId.eq(scope.workspace()));
    version::Entity::find()
        .filter(of_workspace)
        .filter(version::Column::SkillId.eq(id))
        .filter(version::Column::Version.eq(number))
        .one(db)
        .await
}

/// Adds a version to the history.
pub async fn insert_version(db: &impl ConnectionTrait, row: version::Model) -> Result<(), DbErr> {
    version::Entity::insert(version::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Removes the versions up to a number, which are too old to be kept.
pub async fn remove_versions_up_to(
    db: &impl ConnectionTrait,
    id: SkillId,
    number: i64,
) -> Result<(), DbErr> {
    version::Entity::delete_many()
        .filter(version::Column::SkillId.eq(id))
        .filter(version::Column::Version.lte(number))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes all skills of a workspace that is deleted for good. Versions are deleted with their skills. Bindings and
/// choices must be deleted first.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    skill::Entity::delete_in(scope).exec(db).await?;
    Ok(())
}
