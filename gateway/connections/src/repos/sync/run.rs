//! One sync: reads a connection's list page by page and stores its entries, while it holds the connection.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::DbErr;
use serde_json::Value;
use uuid::Uuid;

use super::remote::{self, Answer, Source};
use crate::repos::entity::{connection, repo};
use crate::repos::model::More;
use crate::repos::provider::{Found, Unreadable};
use crate::repos::store::End;
use crate::repos::{ReposContext, store, store_repos};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::fresh;

/// How long a hold lasts without a renewal: longer than a page may take.
const HOLD: TimeDelta = TimeDelta::seconds(60);

/// Takes a connection's sync; `None` when another job has it.
pub(super) async fn claim(
    state: &ReposContext,
    row: &connection::Model,
    holder: Uuid,
) -> Result<Option<connection::Model>, DbErr> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let Some(row) = store::claim(&tx, row.id, holder, now, now + HOLD).await? else {
        return Ok(None);
    };
    let fact = Event::changed(ResourceKind::RepoConnection, row.id, row.version);
    events::append(&mut tx, row.workspace_id, now, [fact]).await?;
    tx.commit().await?;
    Ok(Some(row))
}

/// Reads the list and stores the result. When the database fails, the sync stays wanted and is assigned again.
pub(super) async fn run(
    state: &ReposContext,
    row: &connection::Model,
    holder: Uuid,
) -> Result<(), DbErr> {
    let Some(read) = read(state, row, holder).await? else {
        return Ok(());
    };
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let end = End {
        synced_at: read.error.is_none().then_some(now),
        skipped: read.skipped,
        cut: read.cut,
        error: read.error.clone(),
    };
    let Some(ended) = store::end(&tx, row.id, holder, end).await? else {
        return Ok(());
    };
    if read.is_whole() {
        store_repos::mark_gone(&tx, row.id, holder, now).await?;
    }
    let fact = Event::changed(ResourceKind::RepoConnection, row.id, ended.version);
    events::append(&mut tx, row.workspace_id, now, [fact]).await?;
    tx.commit().await?;
    match &read.error {
        None => {
            tracing::info!(connection = %row.id, pages = read.pages, skipped = read.skipped, cut = read.cut, "the gateway synced a code host");
        }
        Some(error) => {
            tracing::warn!(connection = %row.id, pages = read.pages, error, "the gateway could not sync a code host");
        }
    }
    Ok(())
}

/// The result of reading a list.
#[derive(Default)]
struct Read {
    error: Option<String>,
    pages: u32,
    skipped: i64,
    /// Whether an entry without a readable id was skipped.
    nameless: bool,
    cut: bool,
}

impl Read {
    /// Whether the list is complete, so that repositories outside it are gone.
    fn is_whole(&self) -> bool {
        self.error.is_none() && !self.cut && !self.nameless
    }
}

/// `None`: another holder has the sync, or the connection is gone.
async fn read(
    state: &ReposContext,
    row: &connection::Model,
    holder: Uuid,
) -> Result<Option<Read>, DbErr> {
    let mut read = Read::default();
    let source = match Source::of(row) {
        Ok(source) => source,
        Err(error) => {
            read.error = Some(error);
            return Ok(Some(read));
        }
    };
    let mut lists = source.provider.listings(row.owner.as_deref());
    lists.reverse();
    while let Some(list) = lists.pop() {
        for page in 1.. {
            let answer = match remote::page(state, &source, &list, page).await {
                Answer::Page(answer) => answer,
                Answer::NotFound(_) if page == 1 && !lists.is_empty() => break,
                Answer::NotFound(error) | Answer::Refused(error) => {
                    read.error = Some(error);
                    return Ok(Some(read));
                }
            };
            read.pages = page;
            if !keep_page(state, row, holder, &source, &answer.entries, &mut read).await? {
                return Ok(None);
            }
            match answer.more {
                More::Yes => {}
                More::No => return Ok(Some(read)),
                More::Cut => {
                    read.cut = true;
                    return Ok(Some(read));
                }
            }
        }
    }
    Ok(Some(read))
}

/// Writes a page, if this holder still has the sync.
async fn keep_page(
    state: &ReposContext,
    row: &connection::Model,
    holder: Uuid,
    source: &Source,
    entries: &[Value],
    read: &mut Read,
) -> Result<bool, DbErr> {
    let now = state.clock.now();
    let (mut rows, mut named) = (Vec::new(), Vec::new());
    for entry in entries {
        match source.provider.read(entry) {
            Ok(found) => rows.push(row_of(state, row, holder, found, now)),
            Err(Unreadable { external_id }) => {
                read.skipped += 1;
                read.nameless |= external_id.is_none();
                named.extend(external_id);
            }
        }
    }
    // A list that changes while it is read can contain an entry twice; a statement must not write a row twice.
    rows.sort_by(|a, b| a.external_id.cmp(&b.external_id));
    rows.dedup_by(|a, b| a.external_id == b.external_id);
    let tx = state.db.write().await?;
    if !store::keep(&tx, row.id, holder, now + HOLD).await? {
        return Ok(false);
    }
    store_repos::put(&tx, rows).await?;
    if !named.is_empty() {
        store_repos::still_there(&tx, row.id, &named, holder).await?;
    }
    tx.commit().await?;
    Ok(true)
}

fn row_of(
    state: &ReposContext,
    connection: &connection::Model,
    holder: Uuid,
    found: Found,
    now: DateTime<Utc>,
) -> repo::Model {
    repo::Model {
        id: fresh(&state.ids),
        workspace_id: connection.workspace_id,
        connection_id: connection.id,
        external_id: found.external_id,
        name: found.name,
        full_name: found.full_name,
        description: found.description,
        language: found.language,
        private: found.private,
        archived: found.archived,
        fork: found.fork,
        default_branch: found.default_branch,
        clone_url: found.clone_url,
        html_url: found.html_url,
        provider_updated: found.provider_updated,
        seen_by: holder,
        seen_at: now,
        gone_at: None,
    }
}
