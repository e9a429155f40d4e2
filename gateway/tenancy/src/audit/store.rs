//! All SQL of the audit log except the writing of an entry (`record`). Nothing here changes or removes an entry or a
//! link.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{OnConflict, SelectStatement},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::entity::{chain, entry, head, waiting};
use super::model::Noted;
use crate::auth::WorkspaceScope;
use roost_platform::db::WriteTx;
use roost_platform::db::{Older, TenantEntity};
use roost_platform::ids::{AuditId, UserId};
use roost_web::pagination::PageRequest;

/// The filters of a search.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    pub actor: Option<UserId>,
    pub action: Option<Action>,
    pub entity_kind: Option<String>,
    pub entity_id: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
    pub order: Order,
}

/// The order of the entries. Ids are in the order of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[schema(as = AuditOrder)]
pub(super) enum Order {
    /// Newest first.
    #[default]
    #[serde(rename = "-at")]
    Newest,
    /// Oldest first.
    #[serde(rename = "at")]
    Oldest,
}

/// One action, or all actions of a group.
#[derive(Debug, Clone)]
pub(super) enum Action {
    Exactly(String),
    BeginningWith(String),
}

fn within(scope: WorkspaceScope) -> Select<entry::Entity> {
    entry::Entity::find_in(scope)
}

/// Entries of a workspace that fit the filters, in their order.
pub(super) async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    filter: &Filter,
    request: PageRequest,
) -> Result<Vec<entry::Model>, DbErr> {
    let mut query = within(scope);
    if let Some(actor) = filter.actor {
        query = query.filter(entry::Column::Actor.eq(actor));
    }
    query = match &filter.action {
        Some(Action::Exactly(action)) => query.filter(entry::Column::Action.eq(action)),
        Some(Action::BeginningWith(family)) => {
            query.filter(entry::Column::Action.starts_with(family))
        }
        None => query,
    };
    if let Some(kind) = &filter.entity_kind {
        query = query.filter(entry::Column::EntityKind.eq(kind));
    }
    if let Some(id) = &filter.entity_id {
        query = query.filter(entry::Column::EntityId.eq(id));
    }
    if let Some(from) = filter.from {
        query = query.filter(entry::Column::At.gte(from));
    }
    if let Some(until) = filter.until {
        query = query.filter(entry::Column::At.lt(until));
    }
    let id = entry::Column::Id;
    query = match (filter.order, request.after) {
        (Order::Newest, Some(after)) => query.filter(id.lt(after)),
        (Order::Oldest, Some(after)) => query.filter(id.gt(after)),
        (_, None) => query,
    };
    query = match filter.order {
        Order::Newest => query.order_by_desc(id),
        Order::Oldest => query.order_by_asc(id),
    };
    query.limit(request.rows()).all(db).await
}

/// Entries about one thing, newest first.
///
/// # Errors
/// When the database fails.
pub async fn about(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    (kind, id): (&str, &str),
    older: Older<AuditId>,
    limit: u64,
) -> Result<Vec<entry::Model>, DbErr> {
    within(scope)
        .filter(entry::Column::EntityKind.eq(kind))
        .filter(entry::Column::EntityId.eq(id))
        .filter(older.of(entry::Column::At, entry::Column::Id))
        .order_by_desc(entry::Column::At)
        .order_by_desc(entry::Column::Id)
        .limit(limit)
        .all(db)
        .await
}

/// The links of these entries, by entry.
pub(super) async fn links_of(
    db: &impl ConnectionTrait,
    entries: &[entry::Model],
) -> Result<HashMap<AuditId, chain::Model>, DbErr> {
    let ids = entries.iter().map(|entry| entry.id);
    let links = chain::Entity::find()
        .filter(chain::Column::EntryId.is_in(ids))
        .all(db)
        .await?;
    Ok(links
        .into_iter()
        .map(|link| (link.entry_id, link))
        .collect())
}

/// Counts a workspace's entries, and those that wait for their link.
pub(super) async fn counts(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(u64, u64), DbErr> {
    let all = within(scope).count(db).await?;
    let waiting = within(scope)
        .filter(entry::Column::Id.in_subquery(waiting_ids()))
        .count(db)
        .await?;
    Ok((all, waiting))
}

fn waiting_ids() -> SelectStatement {
    waiting::Entity::find()
        .select_only()
        .column(waiting::Column::EntryId)
        .into_query()
}

fn linked_ids() -> SelectStatement {
    chain::Entity::find()
        .select_only()
        .column(chain::Column::EntryId)
        .into_query()
}

/// Whether any entry waits for its link.
pub(super) async fn is_any_waiting(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    Ok(!waiting_entries(db, 1).await?.is_empty())
}

/// Entries of all workspaces that wait for their link, oldest first. An entry that disappeared in the meantime is not
/// among them; the walk along the chain reports it.
pub(super) async fn waiting_entries(
    db: &impl ConnectionTrait,
    limit: u64,
) -> Result<Vec<entry::Model>, DbErr> {
    entry::Entity::find()
        .filter(entry::Column::Id.in_subquery(waiting_ids()))
        .order_by_asc(entry::Column::Id)
        .limit(limit)
        .all(db)
        .await
}

/// The recorded end of the chain.
pub(super) async fn end(db: &impl ConnectionTrait) -> Result<Option<head::Model>, DbErr> {
    head::Entity::find_by_id(1).one(db).await
}

/// Whether the chain has this link.
///
/// # Errors
/// When the database fails.
pub async fn has_link(db: &impl ConnectionTrait, link: &Noted) -> Result<bool, DbErr> {
    let found = chain::Entity::find_by_id(link.position).one(db).await?;
    Ok(found.is_some_and(|found| found.sha256 == link.sha256))
}

/// Appends links, records the new end, and removes the linked entries from the waiting ones.
pub(super) async fn append(
    tx: &WriteTx,
    links: Vec<chain::Model>,
    end: head::Model,
) -> Result<(), DbErr> {
    let entries: Vec<AuditId> = links.iter().map(|link| link.entry_id).collect();
    chain::Entity::insert_many(links.into_iter().map(chain::ActiveModel::from))
        .exec_without_returning(&**tx)
        .await?;
    head::Entity::insert(head::ActiveModel::from(end))
        .on_conflict(
            OnConflict::column(head::Column::Id)
                .update_columns([head::Column::Position, head::Column::Sha256])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    waiting::Entity::delete_many()
        .filter(waiting::Column::EntryId.is_in(entries))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Links after one position up to another, with their entries.
pub(super) async fn links(
    db: &impl ConnectionTrait,
    after: i64,
    up_to: i64,
    limit: u64,
) -> Result<Vec<(chain::Model, Option<entry::Model>)>, DbErr> {
    let links = chain::Entity::find()
        .filter(chain::Column::Position.gt(after))
        .filter(chain::Column::Position.lte(up_to))
        .order_by_asc(chain::Column::Position)
        .limit(limit)
        .all(db)
        .await?;
    let ids = links.iter().map(|link| link.entry_id);
    let entries = entry::Entity::find()
        .filter(entry::Column::Id.is_in(ids))
        .all(db)
        .await?;
    let mut entries: HashMap<AuditId, entry::Model> =
        entries.into_iter().map(|entry| (entry.id, entry)).collect();
    Ok(links
        .into_iter()
        .map(|link| {
            let entry = entries.remove(&link.entry_id);
            (link, entry)
        })
        .collect())
}

/// Entries that neither have a link nor wait for one.
pub(super) async fn unlinked(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<AuditId>, DbErr> {
    entry::Entity::find()
        .select_only()
        .column(entry::Column::Id)
        .filter(entry::Column::Id.not_in_subquery(linked_ids()))
        .filter(entry::Column::Id.not_in_subquery(waiting_ids()))
        .limit(limit)
        .into_tuple()
        .all(db)
        .await
}

/// Ids that wait for a link, but whose entries are gone.
pub(super) async fn vanished(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<AuditId>, DbErr> {
    let entries = entry::Entity::find()
        .select_only()
        .column(entry::Column::Id)
        .into_query();
    waiting::Entity::find()
        .select_only()
        .column(waiting::Column::EntryId)
        .filter(waiting::Column::EntryId.not_in_subquery(entries))
        .limit(limit)
        .into_tuple()
        .all(db)
        .await
}

/// Counts the entries of all workspaces that wait for their link.
pub(super) async fn waiting_count(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    waiting::Entity::find().count(db).await
}
